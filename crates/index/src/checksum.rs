/// How many bytes of a file have one checksum.
pub(crate) const BLOCK: usize = 4096;

const LANE_SEEDS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x27d4_eb2f_1656_67c5];
const ODD: u64 = 0xff51_afd7_ed55_8ccd;

/// Returns a number that is another one for any bytes that a disk or a program got wrong.
///
/// Each step can be undone, so that a change within eight bytes is always seen. It does not stand
/// against somebody who looks for a collision: whoever can write to the cache can write anything.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes = LANE_SEEDS;
    let (rows, rest) = bytes.as_chunks::<32>();
    for row in rows {
        absorb(&mut lanes, row);
    }
    let mut last = [0; 32];
    for (place, byte) in last.iter_mut().zip(rest) {
        *place = *byte;
    }
    absorb(&mut lanes, &last);
    lanes.iter().fold(bytes.len() as u64, |sum, lane| mix(sum ^ lane))
}

/// Returns the checksums of all blocks of `bytes`; the last block may be a short one.
pub(crate) fn checksums(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks(BLOCK).map(block_checksum)
}

/// Returns the checksum of one block.
pub(crate) fn block_checksum(block: &[u8]) -> u32 {
    let sum = checksum(block);
    u32::try_from((sum ^ (sum >> 32)) & 0xffff_ffff).unwrap_or_default()
}

fn absorb(lanes: &mut [u64; 4], row: &[u8; 32]) {
    let (words, _) = row.as_chunks::<8>();
    for (lane, word) in lanes.iter_mut().zip(words) {
        *lane = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29);
    }
}

pub(crate) fn mix(sum: u64) -> u64 {
    let sum = (sum ^ (sum >> 33)).wrapping_mul(ODD);
    (sum ^ (sum >> 29)).wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ (sum >> 32)
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn every_changed_bit_and_every_length_gives_another_checksum() {
        let bytes: Vec<u8> = (0..200_u8).collect();
        let whole = checksum(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(checksum(&changed), whole, "bit {at}");
        }
        for length in 0..bytes.len() {
            assert_ne!(checksum(&bytes[..length]), whole, "length {length}");
        }
        assert_ne!(checksum(&[0; 3]), checksum(&[0; 4]));
    }
}
