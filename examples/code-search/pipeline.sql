-- Search the code you depend on, by meaning: cuts the sources of some well-known libraries into pieces and embeds every
-- piece with a sentence model. That takes some minutes, so it is worth not doing twice:
--
--     bin/cairn run examples/code-search/pipeline.sql        stop it with Ctrl-C at any time, and run it again
--     bin/cairn run examples/code-search/search.sql          then ask
--     bin/cairn ls .cairn/code-search/checkpoints            and look at what the runs did
--
-- Everything it makes goes below the current directory, into .cairn/code-search; CODE_SEARCH_OUT puts it elsewhere.
-- PERCENT=10 takes a tenth of the files. A later run with more of them processes only those that are new.

-- A task is what is lost when a run is stopped: a hundred small ones rather than a few large ones.
SET spark.sql.files.maxPartitionBytes = 512k;
SET spark.sql.files.openCostInBytes = 4k;

CREATE TEMPORARY VIEW files USING binaryFile
OPTIONS (path '${script:dir}/target/corpus', recursiveFileLookup 'true');

-- The key of a source file is its path below the corpus, which is the same on every machine.
CREATE TEMPORARY VIEW sources AS
SELECT * FROM (SELECT regexp_replace(path, '^.*/target/corpus/', '') AS path, decode(content, 'UTF-8') AS source FROM files)
WHERE pmod(hash(path), 100) < ${env:PERCENT:-100};

-- A table lives as long as the session, and its files stay: hence IF NOT EXISTS and a location of its own. Spark would
-- take a relative location as one below its warehouse, so this one is absolute.
CREATE TABLE IF NOT EXISTS chunks (path STRING, chunk INT, first_line INT, text STRING, embedding ARRAY<FLOAT>)
USING parquet
LOCATION '${env:CODE_SEARCH_OUT:-${env:PWD}/.cairn/code-search}/chunks';

-- The checkpoint marks where the input is read. Above it one file becomes many chunks, and some become none: neither
-- could be told from the table alone.
INSERT INTO chunks
SELECT path, chunk, first_line, text, embed(text) AS embedding
FROM (
  SELECT /*+ CHECKPOINT('${env:CODE_SEARCH_OUT:-${env:PWD}/.cairn/code-search}/checkpoints', 'path') */ *
  FROM sources
)
LATERAL VIEW inline(chunks(source)) AS chunk, first_line, text
WHERE worth_keeping(text);

SELECT count(*) AS chunks, count(DISTINCT path) AS files FROM chunks;
