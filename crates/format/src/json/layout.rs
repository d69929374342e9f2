//! Breaks JSON that is on one line into lines, as Skein writes its own files.

/// Writes each member on its own line, indented by two spaces; strings and numbers keep their spelling.
///
/// The bytes must be valid JSON.
pub(crate) fn lay_out(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let is_solid = |byte: &u8| !byte.is_ascii_whitespace();
    for (at, &byte) in bytes.iter().enumerate() {
        if in_string {
            out.push(byte);
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                out.push(byte);
            }
            b'{' | b'[' => {
                out.push(byte);
                let next =
                    bytes.get(at + 1..).unwrap_or_default().iter().find(|byte| is_solid(byte));
                depth += 1;
                if !matches!(next, Some(b'}' | b']')) {
                    line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !matches!(out.last(), Some(b'{' | b'[')) {
                    line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(&mut out, depth);
            }
            b':' => out.extend(b": "),
            byte if byte.is_ascii_whitespace() => {}
            byte => out.push(byte),
        }
    }
    out
}

fn line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    // The indent stops at 20 levels: in deeper values, the white space would become longer than the text.
    out.extend(std::iter::repeat_n(b' ', 2 * depth.min(20)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8(lay_out(text.as_bytes())).unwrap(), expected);
        assert_eq!(String::from_utf8(lay_out(expected.as_bytes())).unwrap(), expected);
    }

    #[test]
    fn puts_each_member_on_a_line_and_keeps_every_spelling() {
        check(r#"{"a":1.50,"b":[],"c":{ }}"#, "{\n  \"a\": 1.50,\n  \"b\": [],\n  \"c\": {}\n}");
        check(
            r#"{"s":"{\"x\": [1, 2]}\\","t":["\u00e9",null]}"#,
            "{\n  \"s\": \"{\\\"x\\\": [1, 2]}\\\\\",\n  \"t\": [\n    \"\\u00e9\",\n    null\n  ]\n}",
        );
    }
}
