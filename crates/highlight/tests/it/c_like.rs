//! Languages with braces.

use super::check;

#[test]
fn rust() {
    check(
        "a.rs",
        r###"«a:#![no_std]»
«c://! What it's for.»
«a:#[derive(Debug, Clone)]»
«k:pub»(«k:crate») «k:struct» «t:Page»<«t:'a», «t:T»> {
    name: &«t:'a» «t:str», «c:// don't»
    count: «t:Option»<«t:u32»>,
}

«k:const» «o:MAX_SIZE»: «t:usize» = «n:1_000»;

«k:impl»<«t:'a»> «t:Page»<«t:'a», «t:u8»> {
    «k:async» «k:fn» «f:run»<«t:T»: «t:Into»<«t:String»>>(&«k:self», it: «t:T») -> «t:Result»<(), «t:Error»> {
        «f:println!»(«s:"{}"», it.«f:len»());
        «k:let» v = i.«f:collect»::<«t:Vec»<_>>();
        «k:for» i «k:in» «n:0»..n { «k:if» a != b { x.«k:await»?; } }
    }
}
«k:fn» «f:f»<«t:'a»>(x: &«t:'a» «t:str», c: «t:char») { c == «s:'a'» || c == «s:'\''» }
«k:match» c { «s:'"'» => «n:1», «s:'é'» => «n:2», «s:'\u{1F600}'» => «n:3», «s:b'x'» => «n:4» }
«t:'outer»: «k:loop» { «k:break» «t:'outer»; }
«k:let» s = «s:"one»
«s:  two \" three»
«s:four"»; «k:let» t = «n:1»;
«k:let» s = «s:r#"a "b" c"#»; «k:let» t = «s:br"\"»; x
«k:let» s = «s:r##"»
«s:it's "# not the end»
«s:"##»; «k:let» r#«k:type» = «n:1.5e-3» + «n:0xffu8»;
«c:/* a /* b */»
«c:still */» «k:let» x = «n:1» «c:/* y */» + «n:2»;
«a:#[error("bad ]: {0}")]» «t:Bad»(«t:String»),
«k:macro_rules»! both { ($a:expr) => { «f:vec!»[$a; «n:4»] } }"###,
    );
}

#[test]
fn c() {
    check(
        "a.c",
        r#"«m:#include» «s:<stdio.h>»
«m:#include» «s:"a.h"»
«m:#  define» «o:MAX» «n:10»
«m:#error it's broken»
«k:static» «t:int» «f:main»(«t:void») {
    «k:struct» «t:node» *p = «o:NULL»;
    «t:char» c = «s:'\''»;
    «t:char» *s = «s:"a \»
«s:b"»;
    «k:return» p->type == «n:0x1F» ? «n:1.5e-3f» : «s:'ab'»; «c:/* x»
«c:it's */» }"#,
    );
}

#[test]
fn cpp() {
    check(
        "a.cpp",
        r#"«k:auto» n = «n:1'000'000»; «k:auto» c = «s:'x'»;
«k:auto» s = «s:R"json({»
«s: "a": ')' )" »
«s:)json"»; «k:return»;
«a:[[nodiscard]]» «t:int» «f:f»(); a[b[«n:0»]];
std::«t:vector»<«t:Foo»> v = «k:new» «t:Foo»(«n:1»);"#,
    );
}

#[test]
fn csharp() {
    check(
        "a.cs",
        r#"«m:#region Don't»
«k:public» «t:string» «t:Name» { «k:get»; «k:set»; }
«k:var» x = «k:new» «t:Foo»(«s:@"C:\"», «s:$"{a} it's"»).«f:Bar»(«o:null»);"#,
    );
}

#[test]
fn java() {
    check(
        "a.java",
        r#"«a:@Override»
«k:public» «t:String» «f:name»() { «k:return» «s:"""»
«s:  a "b" it's»
«s:  """»; }
«k:final» «t:char» c = «s:'\u0041'»; «t:Map»<«t:String», «t:Integer»> m = «k:new» «t:HashMap»<>();"#,
    );
}

#[test]
fn kotlin() {
    check(
        "a.kt",
        r#"«k:val» s = «s:"a »${m[«s:"k"»]}«s: b"»; «k:fun» «t:String».«f:f»() = «o:null»
«k:val» s = «s:"""»
«s:it's »${«f:x»(«s:"}"»)}«s: "fine"»
«s:"""»; «k:val» y = «n:1»"#,
    );
}

#[test]
fn scala() {
    check(
        "a.scala",
        r#"«k:def» «f:f»(x: «t:Int»): «t:String» = «s:s"a »${x + «n:1»}«s: b"»
«k:case» «k:class» «t:A»(c: «t:Char» = «s:'x'») «k:extends» «t:B» «c:// it's»
«k:val» t = 'sym"#,
    );
}

#[test]
fn swift() {
    check(
        "a.swift",
        r##"«k:let» s = «s:"a »\(«f:f»(«s:"b"»))«s: c"»; «k:guard» «k:let» x «k:else» { «k:return» «o:nil» }
«a:@MainActor» «k:func» «f:f»() {} «c:/* a /* b */ c */» «k:let» r = «s:#"a "b" c"#»
«m:#if» «o:DEBUG»"##,
    );
}

#[test]
fn go() {
    check(
        "a.go",
        r#"«k:func» (r *«t:T») «f:Name»(a «k:map»[«t:string»]«t:int») «t:error» {
	fmt.«f:Println»(«s:`it's»
«s:raw \`», «s:'\n'»)
	«k:return» «o:nil»
}
«k:type» «t:server» «k:struct» { «t:Name» «t:string» «s:`json:"name"`» }"#,
    );
}

#[test]
fn zig() {
    check(
        "a.zig",
        r#"«k:const» std = «f:@import»(«s:"std"»);
«k:const» s =
    «s:\\ it's "raw»
;"#,
    );
}

#[test]
fn dart() {
    check(
        "a.dart",
        r#"«a:@override»
«t:Widget» «f:build»(«t:BuildContext» c) => «t:Text»(«s:'a »${b[«s:'x'»]}«s: c'»);"#,
    );
}

#[test]
fn protobuf() {
    check(
        "a.proto",
        r#"«k:message» «t:A» { «k:repeated» «t:string» b = «n:1»; «k:rpc» «f:Get»(«t:A») «k:returns» («t:B»); }"#,
    );
}

#[test]
fn rust_attributes_of_many_lines() {
    check(
        "a.rs",
        "«a:#[must_use» = «s:\"it's»\n«s:made\"»]\n«k:fn» «f:f»() {}\n«a:#[derive»(\n    «t:Debug»,\n)]",
    );
}
