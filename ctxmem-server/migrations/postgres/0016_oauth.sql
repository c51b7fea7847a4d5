-- Programs that users have connected over OAuth. What is known of one stands in the tokens that it
-- holds, sealed; a row says that they still work.
CREATE TABLE oauth_connections (
    user_key BYTEA NOT NULL,
    id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    -- How many times its tokens were renewed; 0 until its code is redeemed. Only the newest works.
    generation BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    PRIMARY KEY (user_key, id)
);
CREATE INDEX oauth_connections_age ON oauth_connections (renewed_at);
