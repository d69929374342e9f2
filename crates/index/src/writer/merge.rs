use std::collections::BTreeMap;
use std::path::Path;

use tantivy::directory::OwnedBytes;
use tantivy::fastfield::{AliveBitSet, write_alive_bitset};
use tantivy::indexer::merge_filtered_segments;
use tantivy::{BitSet, Segment};

use crate::directory::{STREAM, SegmentFiles};
use crate::index::error::IndexError;
use crate::schema;
use crate::snapshot::row::{DocId, Record};
use crate::snapshot::segment::SegmentEntry;

/// How many segments of about one size there may be, and how much larger the next size is.
const TIER: u32 = 8;
/// The first size, in documents.
const SMALL: u32 = 64;

/// The segments of the next snapshot.
pub(crate) struct Moved {
    pub(crate) segments: Vec<SegmentEntry>,
    /// Where the document of each record is.
    pub(crate) docs: Vec<DocId>,
    pub(crate) next_segment: u32,
}

/// A segment, and which of its documents count.
struct Part {
    entry: SegmentEntry,
    live: Vec<bool>,
    count: u32,
}

/// Leaves out the segments that nobody needs, and makes one of several that are small.
///
/// An index that is all `new` gets one segment: the fewer there are, the smaller it is.
pub(crate) fn settle(
    dir: &Path,
    entries: Vec<SegmentEntry>,
    records: &[Record<'_>],
    next_segment: u32,
    new: bool,
) -> Result<Moved, IndexError> {
    let parts = parts(entries, records)?;
    let groups = if new { vec![parts] } else { groups(parts) };
    let groups = groups.into_iter().filter(|group| !group.is_empty());
    let (alone, together): (Vec<_>, Vec<_>) = groups.partition(|group| is_whole(group));
    let mut segments: Vec<SegmentEntry> =
        alone.into_iter().flatten().map(|part| part.entry).collect();
    let mut docs: Vec<DocId> = records.iter().map(|record| record.doc).collect();
    let mut number = next_segment;
    for parts in together {
        segments.push(join(dir, &parts, number)?);
        move_docs(&parts, number, &mut docs);
        number += 1;
    }
    Ok(Moved { segments, docs, next_segment: number })
}

fn parts(entries: Vec<SegmentEntry>, records: &[Record<'_>]) -> Result<Vec<Part>, IndexError> {
    let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
    for entry in entries {
        let live = vec![false; usize::try_from(entry.docs).unwrap_or_default()];
        parts.insert(entry.number, Part { entry, live, count: 0 });
    }
    for record in records {
        let part = parts.get_mut(&record.doc.segment).ok_or(IndexError::Document)?;
        let at = usize::try_from(record.doc.doc).unwrap_or(usize::MAX);
        let place = part.live.get_mut(at).filter(|live| !**live).ok_or(IndexError::Document)?;
        *place = true;
        part.count += 1;
    }
    Ok(parts.into_values().filter(|part| part.count > 0).collect())
}

/// Returns the segments, each group of which is to become one.
fn groups(parts: Vec<Part>) -> Vec<Vec<Part>> {
    let mut tiers: BTreeMap<u32, Vec<Part>> = BTreeMap::new();
    for part in parts {
        tiers
            .entry((part.count / SMALL).checked_ilog(TIER).map_or(0, |tier| tier + 1))
            .or_default()
            .push(part);
    }
    let mut groups = Vec::new();
    for (_, tier) in tiers {
        if tier.len() < usize::try_from(TIER).unwrap_or(usize::MAX) {
            groups.extend(tier.into_iter().map(|part| vec![part]));
        } else {
            groups.push(tier);
        }
    }
    groups
}

/// Says whether a group is one segment, most of which counts.
fn is_whole(group: &[Part]) -> bool {
    matches!(group, [part] if part.count > part.entry.docs / 2)
}

fn join(dir: &Path, parts: &[Part], number: u32) -> Result<SegmentEntry, IndexError> {
    let sources = parts.iter().map(|part| open(dir, &part.entry)).collect::<Result<Vec<_>, _>>()?;
    let filters = parts.iter().map(filter).collect::<Result<Vec<_>, _>>()?;
    let files = SegmentFiles::create(dir, STREAM);
    let merged = merge_filtered_segments(&sources, schema::settings(), filters, files.clone())?;
    let metas = merged.searchable_segment_metas()?;
    let [meta] = metas.as_slice() else { return Err(IndexError::Panicked) };
    let uuid = meta.id().uuid_string();
    Ok(SegmentEntry { number, uuid, docs: meta.max_doc(), files: files.sealed() })
}

/// Follows the documents of some parts into the segment that they have become.
fn move_docs(parts: &[Part], segment: u32, docs: &mut [DocId]) {
    let places = places(parts);
    for doc in docs {
        if let Some(place) =
            places.get(&doc.segment).and_then(|places| places.get(usize::try_from(doc.doc).ok()?))
        {
            *doc = DocId { segment, doc: *place };
        }
    }
}

/// Returns where the documents of each part are in the merged segment, which has them in order.
fn places(parts: &[Part]) -> BTreeMap<u32, Vec<u32>> {
    let mut next = 0;
    let mut places = BTreeMap::new();
    for part in parts {
        let mut of_part = Vec::with_capacity(part.live.len());
        for live in &part.live {
            of_part.push(next);
            next += u32::from(*live);
        }
        places.insert(part.entry.number, of_part);
    }
    places
}

fn open(dir: &Path, entry: &SegmentEntry) -> Result<Segment, IndexError> {
    let files =
        SegmentFiles::open(dir, &entry.files, STREAM).map_err(|_| IndexError::damaged(dir))?;
    let index = schema::around(files)?;
    schema::segment(&index, &entry.uuid, entry.docs)
}

fn filter(part: &Part) -> Result<Option<AliveBitSet>, IndexError> {
    if part.count == part.entry.docs {
        return Ok(None);
    }
    let mut live = BitSet::with_max_value(part.entry.docs);
    for (doc, _) in (0..).zip(&part.live).filter(|(_, live)| **live) {
        live.insert(doc);
    }
    let mut bytes = Vec::new();
    write_alive_bitset(&live, &mut bytes).map_err(|_| IndexError::Panicked)?;
    Ok(Some(AliveBitSet::open(OwnedBytes::new(bytes))))
}
