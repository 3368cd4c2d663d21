package dev.cairn.commit;

import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.util.List;

class InMemoryCommitterTest extends CommitterContract {
    private final FakeCatalog catalog = new FakeCatalog();

    @Override
    protected Committer open() {
        return catalog.committer(new Destination("fake", "table"));
    }

    @Override
    protected Committable write(int row) {
        return new Committable("fake", 1, Integer.toString(row));
    }

    @Override
    protected List<Integer> read() {
        return catalog.published().stream().map(Integer::valueOf).toList();
    }

    @Override
    protected boolean commitByOthers() {
        catalog.commitByOthers();
        return true;
    }

    @Override
    protected boolean expireHistory() {
        catalog.expireHistory();
        return true;
    }

    @Override
    protected boolean lose(Committable committable) {
        catalog.lose(committable.body());
        return true;
    }
}
