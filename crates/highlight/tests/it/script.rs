//! Scripting languages.

use super::check;

#[test]
fn python() {
    check(
        "a.py",
        r#"«a:@app.route»(«s:"/x"»)
«k:async» «k:def» «f:run»(«k:self», x: «t:int» = «n:0x1F») -> «o:None»:
    «s:"""It's a "doc"»
«s:    of two lines."""»
    f = «s:f"it's {x['a']!r}"» + «s:rb'\x00'» + «s:'don\'t'»
    «k:match» x:
        «k:case» [«n:1», y]: «k:return» «o:True»
    type = «n:3»; match = «n:4»  «c:# it's»
    «k:class» «t:Foo»(«t:Bar»): «k:pass»
    s = «s:'''a " b»
«s:'''» «k:if» «k:not» x «k:else» x @ y"#,
    );
}

#[test]
fn ruby() {
    check(
        "a.rb",
        r#"«c:=begin»
«c:it's»
«c:=end»
«k:class» «t:Foo» < «t:Bar»
  «k:attr_reader» «o::name», «o::x?»
  «k:def» «f:run!»(a = «o:nil», key: «o::value») «c:# it's»
    puts «s:"a »#{b[«s:"c"»]}«s: d"», «s:'e'», ?", «s:%w[it's "x]»
    x = «s:<<~EOS».strip
«s:      it's "here"»
«s:    EOS»
    y = a / b «k:if» x =~ «s:/it's "/» && z.«f:match?»(«s:/a/»)
    list << «t:Foo»
    @class ||= $' ; «k:self».class
  «k:end»
«k:end»"#,
    );
}

#[test]
fn perl() {
    check(
        "a.pl",
        r#"«k:use» strict; «k:my» %h = (a => «n:1», q => «n:2»); «c:# it's»
«k:my» $x = $h{class} =~ «s:m/it's/» ? «s:qq{a "b {c}"}» : «s:'d'»;
$x =~ «s:s/'/"/g»; $x =~ «s:s{it's}{"}»; «k:my» @l = «s:qw(it's»
«s: two)»; «k:print» «s:<<"EOT"» . «s:"x"»;
«s:it's here»
«s:EOT»
«k:my» $n = $#list; «k:my» $y = $'; $z = a / b;
«c:=pod»

«c:it's»

«c:=cut»
«k:sub» «f:run» { «k:return» «o:undef»; }"#,
    );
}

#[test]
fn lua() {
    check(
        "a.lua",
        r#"«k:local» x = «s:[[it's»
«s:two]]» «c:--[[ it's»
«c:]]» «k:function» «t:M».«f:run»(a) «k:return» «k:not» «o:nil» «k:end» «c:-- don't»
t[«s:"a"»] = «s:'b\'c'»"#,
    );
}

#[test]
fn r() {
    check("a.R", r#"f.x <- «k:function»(a, b = «o:TRUE») { a$if + «n:1L» } «c:# it's»"#);
}

#[test]
fn julia() {
    check(
        "a.jl",
        r#"«k:function» «f:f»(x::«t:Vector»{«t:Int»})::«t:Nothing» «c:# it's»
    y = x' * «t:A»' ; c = «s:'a'»; «s:"a »$(«f:g»(«s:"b"»))«s: c"» «c:#= a #= b =# =#»
    «a:@show» «o::sym»
«k:end»"#,
    );
}
