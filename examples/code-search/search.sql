-- The pieces of code that are nearest in meaning to a question:
--
--     QUESTION="how is a task retried?" bin/cairn run examples/code-search/search.sql
--
-- Run pipeline.sql first. Double quotes around the question, because it may well hold an apostrophe.

SELECT
  round(cosine(embedding, asked), 3) AS score,
  concat(path, ':', first_line) AS place,
  -- The first line that says something.
  trim(regexp_extract(text, '(?m)^\\s*([^\\s/*}@].*)$', 1)) AS begins
FROM
  parquet.`${env:CODE_SEARCH_OUT:-${env:PWD}/.cairn/code-search}/chunks`,
  (SELECT embed("${env:QUESTION:-how does a client retry a failed request?}") AS asked)
ORDER BY score DESC
LIMIT 10;
