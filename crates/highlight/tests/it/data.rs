//! Data and prose.

use super::check;

#[test]
fn toml() {
    check(
        "a.toml",
        r#"«m:[package]» «c:# it's»
«a:name» = «s:"it's"» «c:# x»
«a:a.b-c» = { «a:d» = «n:1979-05-27T07:32:00Z», «a:"e"» = «s:'f\'» }
«a:list» = [
  [«n:1», «n:2»],
  «s:"x"», «o:true»,
]
«m:[[bin]]»
«a:s» = «s:"""»
«s:it's "x"»
«s:"""»"#,
    );
}

#[test]
fn ini() {
    check(
        "a.ini",
        r#"«c:; it's»
«m:[core]»
  «a:name» = don't do «s:"that"» «c:# x»
«a:path»=/usr/bin;x
«a:on»: «o:true»"#,
    );
}

#[test]
fn yaml() {
    check(
        "a.yaml",
        r#"«m:---» «c:# it's»
«a:key»: value «c:# x»
«a:url»: http://a.b/c#d
«a:"quoted key"»: «s:'it''s'»
«a:n»: «n:-1.5»
«a:t»: «m:!Ref» «m:&anchor» «o:yes»
- «a:a»: «k:|»
«s:    it's: not»
«s:    # a key»

  «a:b»: «s:"two»
«s:  lines: x"» «c:# c»
- «a:don't do»: this
- [«n:1», «o:true», «s:"x"», {«a:k»: v}]
«a:date»: «n:2024-01-02»
«a:run»: «k:>-»
«s:  x»
«a:end»: «o:~»"#,
    );
}

#[test]
fn markdown() {
    check(
        "a.md",
        r#"«m:---»
«a:title»: it's
«m:---»
«m:# It's a title»
Some «s:`code`» and «s:``a ` b``» and [«a:a link»](«s:http://x.y») [not].
«c:>» «k:-» quote
«k:1.» one
«m:```rust»
«k:fn» «f:main»() { «k:let» s = «s:"»
«m:```»
«k:-» after «c:<!-- it's»
«c:more -->» x
«m:~~~»
«s:plain»
«m:~~~»"#,
    );
}

#[test]
fn latex() {
    check(
        "a.tex",
        r#"«k:\documentclass»{article} «c:% it's»
«k:\begin»{«t:itemize»} «n:50»\% of «s:$x^2$» it's «k:\end»{«t:itemize»}"#,
    );
}

#[test]
fn diff() {
    check(
        "a.diff",
        r#"«k:diff --git a/x b/x»
«k:--- a/x»
«k:+++ b/x»
«m:@@ -1,2 +1,2 @@» fn x() {
«o:-it's»
«s:+its»
 same"#,
    );
}
