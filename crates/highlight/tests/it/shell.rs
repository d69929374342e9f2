//! Languages for shells and build files.

use super::check;

#[test]
fn shell() {
    check(
        "a.sh",
        r#"«c:#!/bin/bash»
x=$#; y=«s:"${x#*/} it's »$(dirname «s:"$0"»)«s:"»; «k:echo» a#b «s:"$y"» «c:# it's»
«k:if» [[ $x == «s:'don"t'» ]]; «k:then»
cat «s:<<'EOF2'» | sort
«s:it's "here"»
«s:EOF2»
«k:fi»
msg=$(cat «s:<<-EOT»
«s:	don't»
«s:	EOT»
)
«f:run»() { «k:local» z=${1:-"it's"}; «k:echo» \' «s:$'it\'s'»; }
(( a << b )); docker-if --for «k:if»"#,
    );
}

#[test]
fn fish() {
    check(
        "a.fish",
        r#"«k:function» «f:run» -d «s:'it\'s'»; «k:set» -l x (count $argv); «k:end» «c:# it's»"#,
    );
}

#[test]
fn powershell() {
    check(
        "a.ps1",
        r#"«c:<# it's #>» «k:Function» «f:Get-Foo» { «k:param»([«t:string»]$If) «c:# it's»
 «k:return» «s:@"»
«s:it's "x"»
«s:"@» + «s:"a `" »$(Get-X «s:"b"»)«s:"» }"#,
    );
}

#[test]
fn sql() {
    check(
        "a.sql",
        r#"«k:SELECT» «f:count»(*) «k:AS» n, «s:'it''s'» «k:FROM» «s:"User"» «k:WHERE» id = «n:1.5» «c:-- it's»
«k:create» «k:function» «f:f»() «k:returns» «t:int» «k:as» «s:$$ begin return 'x'; end $$»;"#,
    );
}

#[test]
fn dockerfile() {
    check(
        "Dockerfile",
        r#"«c:# it's»
«k:FROM» node:«n:20» «k:AS» build
«k:RUN» echo «s:"it's"» && apt-get install x \
    && for x in a
«k:COPY» --from=build /a /b"#,
    );
}

#[test]
fn cmake() {
    check(
        "CMakeLists.txt",
        r#"«k:set»(X «s:"a ${Y}"» «o:ON») «c:# it's»
«f:target_link_libraries»(app «o:PRIVATE» foo)"#,
    );
}

#[test]
fn makefile() {
    check(
        "Makefile",
        r#"«c:# it's»
«a:CC» ?= gcc «c:# x»
«a:SRC» := $(«f:wildcard» *.c) a:b
«k:ifeq» ($(CC),gcc)
«k:endif»
«f:.PHONY»: all
«f:all»: $(OBJ) b
	@«k:echo» «s:"it's"» $$x «c:# y»
«k:include» x.mk"#,
    );
}

#[test]
fn nix() {
    check(
        "a.nix",
        r#"{ pkgs, ... }: «k:let» «a:x-y» = «s:''it's »${pkgs.foo}«s: "q" ''»; «k:in» { «a:a.b» = «o:true»; } «c:# it's»"#,
    );
}

#[test]
fn terraform() {
    check(
        "a.tf",
        r#"«k:resource» «s:"aws_x"» «s:"y"» { «a:count» = var.n «c:# it's»
  «a:name» = «s:"a-»${«f:lookup»(var.m, «s:"k"»)}«s:"»
  «a:doc» = «s:<<-EOF2»
«s:it's»
«s:EOF2»
}"#,
    );
}

#[test]
fn vim() {
    check(
        "a.vim",
        r#"«c:" it's»
«k:let» g:x = «s:"a"» . «s:'b''c'» " it's
«k:function»! «f:Foo»() abort"#,
    );
}
