# Runs in Spark's Python workers, around the function of a mapInPandas or mapInArrow above a checkpoint. Spark sends
# a worker its input ahead, so only the worker knows whether the function took all of it.


def wrap(command):
    import pickle

    command = pickle.loads(command)
    if not isinstance(command, tuple):
        command = pickle.loads(command.value)  # large functions travel as broadcasts
    function, return_type = command

    def reads_to_end(batches):
        batches = iter(batches)
        yield from function(batches)
        nothing = object()
        if next(batches, nothing) is not nothing:
            raise RuntimeError(
                "[CAIRN_INPUT_NOT_EXHAUSTED] The function of mapInPandas or mapInArrow above a checkpoint returned before"
                " it had taken all its batches: rows that it never saw would count as processed. Nothing of the task was"
                " sealed. Let it read its iterator to the end; to drop rows, leave them out of what it yields."
                " SQLSTATE: 40000"
            )

    return reads_to_end, return_type
