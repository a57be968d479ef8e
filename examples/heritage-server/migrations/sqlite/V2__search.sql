-- The words of each content, as the program takes texts apart: both databases index the same words.
-- `title` and `body` have words, `characters` each Chinese character for itself, where a question
-- finds what the words took apart otherwise.
CREATE VIRTUAL TABLE content_words USING fts5 (
    tenant_id UNINDEXED,
    site_id UNINDEXED,
    content_id UNINDEXED,
    title,
    body,
    characters,
    tokenize = 'unicode61 remove_diacritics 0'
);
