//! Languages of the web.

use super::check;

#[test]
fn javascript() {
    check(
        "a.js",
        r#"«c:#!/usr/bin/env node»
«k:import» x, { y «k:as» z } «k:from» «s:'./x.js'»; «c:// it's»
«k:const» re = «s:/["'`/]+/gi».«f:test»(s), half = a / b / c;
«k:const» t = «s:`a »${b ? «s:`in »${c}«s:`» : «s:"}"»}«s: it's»
«s:two`»; «k:let» u = «n:1»;
«k:return» «s:/x[/]"/»;
foo?.class; obj.default = { get: «n:1», type: «n:2», from, async };
«k:async» «k:function»* «f:run»() { «k:await» «k:new» «t:Foo»(«o:undefined»); }
«k:const» f = «k:async» (x) => x ** «n:2n»;"#,
    );
}

#[test]
fn typescript() {
    check(
        "a.ts",
        r#"«k:type» «t:A»<«t:T»> = { «k:readonly» type: «t:string»; kind: «s:'a'» | «s:"b"» };
«k:export» «k:interface» «t:B» «k:extends» «t:C» { «f:get»(): «k:void» }
«a:@Injectable»() «k:class» «t:D» { «k:private» x: «t:number» = «n:1» «k:as» «t:unknown» «k:as» «t:number»; }
«k:import» «k:type» { «t:X» } «k:from» «s:'x'»;
«k:let» type = «n:3»; type = «n:4»;"#,
    );
}

#[test]
fn elements_in_javascript() {
    check(
        "a.jsx",
        r#"«k:const» a = x < y ? «m:<A» «a:b»=«s:"it's"» «a:c»={d ? «s:"}"» : «s:`x`»} {...e} «m:/>» : «o:null»;
«k:return» (
  «m:<>»
    «m:<p» «a:className»=«s:"a"»«m:>»Don't for {i => «m:<b.C» «a:key»={i}«m:>»it's«m:</b.C>»} this«m:</p>»
    {«c:/* it's */»}
    «m:<img»
      «a:src»=«s:'x'»
    «m:/>»
  «m:</>»
); «k:const» b = «n:1» < «n:2» && a<b;"#,
    );
}

#[test]
fn elements_in_typescript() {
    check(
        "a.tsx",
        r#"«k:const» f = <«t:T»,>(x: «t:T»): «t:Array»<«t:T»> => «m:<Foo»<T> «a:x»={x «k:as» «t:T»}«m:>»if«m:</Foo>»;
«k:const» g = <«t:T» «k:extends» «t:U»>(x: «t:T») => useState<«t:string»>(«s:"it's"»);"#,
    );
}

#[test]
fn json() {
    check(
        "a.json",
        r#"{ «a:"a"»: «s:"b: c"», «c:// it's»
  «a:"n"» : [«n:1», -«n:2.5e3», «o:true», «o:null»], «a:"s"»: «s:"\"x"» }"#,
    );
}

#[test]
fn php() {
    check(
        "a.php",
        r#"«m:<html><?php»
«k:namespace» «t:App»; «c:# it's»
«a:#[Attr]» «k:class» «t:A» «k:extends» «t:B» {
  «k:public» «k:function» «f:run»(«t:string» $class): ?«t:int» { «k:return» $this->class ?? «s:<<<EOT»
«s:it's "here" $x»
«s:  EOT»; }
}
«m:?>»
«m:<p» «a:class»=«s:"<?= $x ?>"»«m:>»Don't«m:</p>»"#,
    );
}

#[test]
fn graphql() {
    check(
        "a.graphql",
        r#"«k:type» «t:A» «k:implements» «t:B» «a:@key»(fields: «s:"id"») { id: «t:ID»! «c:# it's»
  «s:""" doc """»
}"#,
    );
}

#[test]
fn html() {
    check(
        "a.html",
        r#"«m:<!DOCTYPE» «a:html»«m:>»
«c:<!-- it's»
«c:-->»
«m:<p» «a:class»=«s:"a"» «a:data-x»=«s:'b'» «a:hidden» «a:id»=«s:c»«m:>»Don't «o:&amp;» 1 < 2 «m:<br/></p>»
«m:<script>»
«k:const» x = «s:"</p>"»; «c:// it's»
«m:</script>»
«m:<style>a» { «a:color»: red; }«m:</style>»
«m:<script» «a:lang»=«s:"ts"»«m:>»«k:let» x: «t:number»;«m:</script>»
«m:<p>»after«m:</p>»"#,
    );
}

#[test]
fn xml() {
    check(
        "a.xml",
        r#"«m:<?xml» «a:version»=«s:"1.0"»«m:?>»
«m:<a:b» «a:x»=«s:"1"»«m:>»<![CDATA[ it's ]]>«m:</a:b>»"#,
    );
}

#[test]
fn css() {
    check(
        "a.css",
        r#"«c:/* it's»
«c:*/» «k:@media» («a:max-width»: «n:10px») { «m:a»:hover, «t:.b» > «o:#c»::before { «a:color»: «n:#fff» «k:!important»; «a:margin»: «n:-1.5em» «f:calc»(«n:1px» + «n:2%»); } }
«t:.x»{«a:color»:red;«a:background»:«f:url»(«s:http://a/b»)}
:root { «a:--main-color»: «s:"it's"»; }"#,
    );
}

#[test]
fn scss() {
    check(
        "a.scss",
        r#"«a:$x»: «n:1px»; «c:// it's»
«t:.a» { &:hover { «a:b»: c; } «k:@include» «f:foo»($x); «m:li»:first-child { «a:d»: e } }"#,
    );
}
