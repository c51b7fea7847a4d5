//! Forensic evidence: what an attacker can read about users from old copies of their rows and some
//! files with keys.
//!
//! Nothing here goes through the server. Every place in a file is tried as a key that is wrapped
//! for one of the users, and what it unwraps has to open the user's row.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use rusqlite::{Connection, OpenFlags};
use sqlx::{Connection as _, PgConnection};

use crate::database_files::DatabaseFolder;

/// A number, a nonce, a key and a tag.
const WRAPPED: usize = 8 + NONCE_LEN + 32 + 16;

/// Pieces of this length are searched for: what remains of a key need not be all of it.
const PIECE: usize = 8;

const BLOCK: usize = 4_096;
const ZEROS: [u8; BLOCK] = [0; BLOCK];

const USERS: &str =
    "SELECT user_key, key_slot, key_id, sealed_user_id FROM users WHERE key_slot IS NOT NULL";
const KEYS: &str = "SELECT slot, id, sealed FROM user_keys";
const WRAPPING_KEYS: &str = "SELECT number, bytes FROM wrapping_keys";

type UserRow = (Vec<u8>, i64, Vec<u8>, Vec<u8>);
type KeyRow = (i64, Vec<u8>, Vec<u8>);
type WrappingRow = (i64, Vec<u8>);

/// A user as a copy has it.
struct Copied {
    name: String,
    /// What the user's row and the user's key are bound to.
    row_context: Vec<u8>,
    key_context: Vec<u8>,
    sealed_user_id: Vec<u8>,
    wrapped_key: Vec<u8>,
}

/// Copies of the rows of users, and what their keys are wrapped by.
#[derive(Default)]
pub(crate) struct Copies {
    users: Vec<Copied>,
    wrapping: HashMap<u64, [u8; 32]>,
}

impl Copies {
    pub(crate) fn of_sqlite(folder: &DatabaseFolder) -> Self {
        let open = |name: &str| {
            let file = folder.path().join(name);
            Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
        };
        let (database, keys) = (open("ctxmem.db"), open("ctxmem.db-keys"));
        Self::new(
            rows(&database, USERS, |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            }),
            rows(&keys, KEYS, |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            }),
            rows(&keys, WRAPPING_KEYS, |row| Ok((row.get(0)?, row.get(1)?))),
        )
    }

    pub(crate) async fn of_postgres(url: &str, keys_url: &str) -> Self {
        let mut database = PgConnection::connect(url).await.unwrap();
        let users = sqlx::query_as(USERS).fetch_all(&mut database);
        let users = users.await.unwrap();
        let mut keys = PgConnection::connect(keys_url).await.unwrap();
        let wrapping = sqlx::query_as(WRAPPING_KEYS).fetch_all(&mut keys);
        let wrapping = wrapping.await.unwrap();
        let stored = sqlx::query_as(KEYS).fetch_all(&mut keys).await.unwrap();
        Self::new(users, stored, wrapping)
    }

    fn new(users: Vec<UserRow>, keys: Vec<KeyRow>, wrapping: Vec<WrappingRow>) -> Self {
        let number = |number: i64| u64::try_from(number).unwrap();
        let wrapping = wrapping.into_iter();
        let mut copies = Self {
            users: Vec::new(),
            wrapping: wrapping
                .map(|(of, bytes)| (number(of), *bytes.first_chunk().unwrap()))
                .collect(),
        };
        let keys: HashMap<_, _> = keys
            .into_iter()
            .map(|(slot, id, wrapped)| ((slot, id), wrapped))
            .collect();
        for (user_key, slot, id, sealed_user_id) in users {
            let key_context = [slot.to_be_bytes().as_slice(), &id].concat();
            let Some(wrapped_key) = keys.get(&(slot, id)).cloned() else {
                // Its erasure is not complete, so this is no copy from before.
                continue;
            };
            let mut user = Copied {
                name: String::new(),
                row_context: [b"user".as_slice(), &user_key].concat(),
                key_context,
                sealed_user_id,
                wrapped_key,
            };
            let id = copies.open(&user, &user.wrapped_key);
            user.name = name_in(&id.unwrap());
            copies.users.push(user);
        }
        copies
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.users.extend(other.users);
        self.wrapping.extend(other.wrapping);
    }

    /// Leaves out all users but one.
    pub(crate) fn retain(&mut self, name: &str) {
        self.users.retain(|user| user.name == name);
    }

    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.users.iter().map(|user| user.name.clone()).collect()
    }

    /// The users whose rows can be read by a key in one of these files.
    pub(crate) fn readable_with<F: AsRef<[u8]>>(
        &self,
        files: impl IntoIterator<Item = F>,
    ) -> BTreeSet<String> {
        let numbers = 1..=self.wrapping.keys().copied().max().unwrap_or_default();
        let (mut readable, mut tried) = (BTreeSet::new(), HashSet::new());
        for file in files {
            let bytes = file.as_ref();
            for_each_window(bytes, |end, window| {
                if numbers.contains(&window)
                    && end >= 8
                    && let Some(wrapped) = bytes.get(end - 8..end - 8 + WRAPPED)
                    && tried.insert(wrapped.to_vec())
                {
                    readable.extend(self.opened_by(wrapped));
                }
            });
        }
        readable
    }

    fn opened_by<'a>(&'a self, wrapped: &'a [u8]) -> impl Iterator<Item = String> + 'a {
        let opened = self.users.iter().filter(|user| {
            self.open(user, wrapped)
                .is_some_and(|id| name_in(&id) == user.name)
        });
        opened.map(|user| user.name.clone())
    }

    /// The users of whose wrapped keys a piece is in one of these files.
    pub(crate) fn keys_in<F: AsRef<[u8]>>(
        &self,
        files: impl IntoIterator<Item = F>,
    ) -> BTreeSet<String> {
        self.with_pieces_in(files, |user| &user.wrapped_key[8..])
    }

    /// The users of whose rows a piece is in one of these files.
    pub(crate) fn rows_in<F: AsRef<[u8]>>(
        &self,
        files: impl IntoIterator<Item = F>,
    ) -> BTreeSet<String> {
        self.with_pieces_in(files, |user| &user.sealed_user_id)
    }

    fn with_pieces_in<F: AsRef<[u8]>>(
        &self,
        files: impl IntoIterator<Item = F>,
        of: impl Fn(&Copied) -> &[u8],
    ) -> BTreeSet<String> {
        let (mut pieces, mut endings) = (HashMap::new(), vec![false; 1 << 16]);
        for user in &self.users {
            for piece in of(user).chunks_exact(PIECE) {
                let piece = u64::from_be_bytes(piece.try_into().unwrap());
                pieces.insert(piece, user);
                endings[ending(piece)] = true;
            }
        }
        let mut found = BTreeSet::new();
        for file in files {
            for_each_window(file.as_ref(), |_, window| {
                // Most places are told apart by this, without a look into the map.
                if endings[ending(window)]
                    && let Some(user) = pieces.get(&window)
                {
                    found.insert(user.name.clone());
                }
            });
        }
        found
    }

    /// The user id, if these bytes are the user's wrapped key.
    fn open(&self, user: &Copied, wrapped: &[u8]) -> Option<String> {
        let (number, sealed) = wrapped.split_first_chunk()?;
        let by = self.wrapping.get(&u64::from_be_bytes(*number))?;
        let key = open(by, &user.key_context, sealed)?;
        let content = content_key(&key);
        let id = open(&content, &user.row_context, &user.sealed_user_id)?;
        String::from_utf8(id).ok()
    }
}

/// Looks at every eight bytes of a file, by the place where they end. Blocks of zeros, of which
/// Postgres' files are full, are passed over.
fn for_each_window(bytes: &[u8], mut look: impl FnMut(usize, u64)) {
    let mut window = 0_u64;
    for (number, block) in bytes.chunks(BLOCK).enumerate() {
        if *block == ZEROS[..block.len()] {
            window = 0;
            continue;
        }
        for (place, byte) in (number * BLOCK + 1..).zip(block) {
            window = (window << 8) | u64::from(*byte);
            look(place, window);
        }
    }
}

/// The name of a user (`History::name`), by the user's id.
fn name_in(id: &str) -> String {
    id.strip_suffix("id").unwrap_or(id).to_owned()
}

#[expect(clippy::cast_possible_truncation, reason = "only its end is wanted")]
fn ending(piece: u64) -> usize {
    usize::from(piece as u16)
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Vec<T> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], read).unwrap();
    rows.map(Result::unwrap).collect()
}

/// What is stored of a user is sealed under a key that is derived from the user's.
fn content_key(key: &[u8]) -> [u8; 32] {
    let derived = Salt::new(HKDF_SHA256, b"ctxmem").extract(key);
    let mut content = [0; 32];
    let filled = derived
        .expand(&[b"user: content"], HKDF_SHA256)
        .and_then(|key| key.fill(&mut content));
    filled.unwrap();
    content
}

/// Nonce, ciphertext and tag.
fn open(key: &[u8], context: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
    let mut text = text.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let plain = key
        .open_in_place(nonce, Aad::from(context), &mut text)
        .ok()?;
    Some(plain.to_vec())
}

/// The contents of all files in a folder and the folders in it. Those that go meanwhile are left
/// out.
pub(crate) fn files_below(folder: &Path) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.extend(std::fs::read(&path));
        }
    }
    files
}
