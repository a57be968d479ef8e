-- The words of each content, as the program takes texts apart: both databases index the same words.
-- In `words` those of the title weigh A and those of the body D; `characters` has each Chinese
-- character for itself, where a question finds what the words took apart otherwise.
CREATE TABLE content_words (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    words TSVECTOR NOT NULL,
    characters TSVECTOR NOT NULL,
    PRIMARY KEY (tenant_id, site_id, content_id),
    FOREIGN KEY (tenant_id, site_id, content_id) REFERENCES contents
);

CREATE INDEX content_words_words ON content_words USING gin (words);
CREATE INDEX content_words_characters ON content_words USING gin (characters);
