use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use skein_index::{
    Clause, Field, Found, Index, IndexError, Matcher, Record, Stamp, What, Writer, pieces,
};

/// The text of a document.
pub(crate) type Values = Vec<(Field, String)>;

/// Documents by name: what is in the index, and what is to be found.
#[derive(Debug, Default, Clone)]
pub(crate) struct Shelf {
    pub(crate) docs: BTreeMap<String, (u64, Values)>,
    revision: u64,
}

/// What is found: the name, the counts and the lengths.
pub(crate) type Answer = BTreeMap<String, Found>;

impl Shelf {
    pub(crate) fn put(&mut self, name: &str, values: Values) {
        self.revision += 1;
        self.docs.insert(name.to_owned(), (self.revision, values));
    }

    pub(crate) fn put_body(&mut self, name: &str, text: &str) {
        self.put(name, vec![(Field::Body, text.to_owned())]);
    }

    /// Writes what has changed since the last time.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), IndexError> {
        self.write_with(Writer::open(dir, 0)?)
    }

    pub(crate) fn write_with(&self, writer: Writer) -> Result<(), IndexError> {
        let mut known = BTreeMap::new();
        if let Some(base) = writer.base() {
            for slot in 0..base.len() {
                known.insert(base.name(slot), (base.stamp(slot), base.doc(slot)));
            }
        }
        let mut records = Vec::new();
        for (name, (revision, values)) in &self.docs {
            let stamp = Stamp::new(1, -1, *revision, u64::MAX);
            let doc = match known.get(name) {
                Some((Some(old), doc)) if *old == stamp => *doc,
                _ => writer.add(borrowed(values))?,
            };
            let time = i64::try_from(*revision).unwrap();
            records.push(Record {
                name,
                stamp: Some(stamp),
                time,
                facts: [name, "", "all"].map(Cow::Borrowed).to_vec(),
                doc,
            });
        }
        writer.commit(records)
    }

    /// Looks at every document.
    pub(crate) fn scan(&self, query: &str) -> Answer {
        let matcher = Matcher::new(&clauses(query));
        let judged = self.docs.iter().filter_map(|(name, (_, values))| {
            matcher.judge(borrowed(values)).map(|found| (name.clone(), found))
        });
        judged.collect()
    }
}

/// Asks the index.
pub(crate) fn ask(index: &Index, query: &str) -> Result<Answer, IndexError> {
    let matches = index.find(&clauses(query))?;
    let counts: Vec<_> = match matches.frequencies() {
        [] => vec![Vec::new(); matches.slots().len()],
        _ => matches.counts().map(<[_]>::to_vec).collect(),
    };
    let snapshot = index.snapshot();
    let found = matches.slots().iter().zip(counts).map(|(slot, counts)| {
        (snapshot.name(*slot), Found { counts, lengths: snapshot.lengths(*slot) })
    });
    Ok(found.collect())
}

pub(crate) fn clauses(query: &str) -> Vec<Clause> {
    let pieces = pieces(query, &[]).unwrap();
    let clauses = pieces.into_iter().map(|piece| match piece.what {
        What::Text(atom) => Clause { not: piece.not, atom },
        What::Filter { .. } => panic!("a filter: {query}"),
    });
    clauses.collect()
}

fn borrowed(values: &[(Field, String)]) -> Vec<(Field, &str)> {
    values.iter().map(|(field, text)| (*field, text.as_str())).collect()
}
