-- Teams: a developer account has members, each with an address, a password, a second factor and
-- sessions of their own. A row of developers is a person. The row with which an account began is the
-- account as well: agents refer to it, and the other members' rows do. So everybody who was there is the
-- owner of an account of their own, and so is whom a process of the version before creates.

-- The account; NULL in the row with which it began.
ALTER TABLE developers ADD COLUMN team_id TEXT REFERENCES developers (id);
-- 'owner' or 'member'; 'gone' in the first row of an account whose person has left.
ALTER TABLE developers ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
-- What other members call this person.
ALTER TABLE developers ADD COLUMN name TEXT;
-- The address that users see with the account's agents, which only operators set; NULL for that of the
-- person with whom the account began. In the first row of an account.
ALTER TABLE developers ADD COLUMN contact TEXT;
CREATE INDEX developers_team ON developers (team_id);

-- Links by which one person each can join. A row goes when it is used or withdrawn.
CREATE TABLE team_invitations (
    id TEXT NOT NULL PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES developers (id),
    -- The secret itself is in the link only.
    token_hash BLOB NOT NULL UNIQUE,
    -- For whom it is, as the owner wrote it; may be empty.
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX team_invitations_team ON team_invitations (team_id);
