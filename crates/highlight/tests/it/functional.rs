//! Functional languages.

use super::check;

#[test]
fn elixir() {
    check(
        "a.ex",
        r#"«k:defmodule» «t:App».«t:Foo» «k:do»
  «a:@doc» «s:"""»
«s:  It's "it".»
«s:  """»
  «k:def» «f:run?»(%{a: «o::b»} = x), «k:do»: «s:"a »#{x[«s:"b"»]}«s: c"» «c:# it's»
  y = «s:~r/it's "/i»; z = ?" ; «s:~s(a (b) 'c)»
«k:end»"#,
    );
}

#[test]
fn erlang() {
    check(
        "a.erl",
        r#"-«f:module»(foo). «c:% it's»
«f:run»(X) «k:when» X > «n:0» -> {«o:ok», «s:'it s'», «s:"a"», $", «a:?MAX»}."#,
    );
}

#[test]
fn haskell() {
    check(
        "a.hs",
        r#"«m:{-# LANGUAGE X #-}»
«k:module» «t:Foo» «k:where» «c:-- it's»
«k:data» «t:A» = «t:B» { c :: «t:Char» } «k:deriving» («t:Show»)
«f:foldl'» :: (a -> b) -> «s:'x'»
«f:foldl'» f x' = «k:case» x' «k:of» { «s:'a'» -> «s:"b"»; «s:'\''» -> map f . id }
«c:{- a {- b -} it's -}»"#,
    );
}

#[test]
fn ocaml() {
    check(
        "a.ml",
        r#"«c:(* it's (* nested *) *)»
«k:let» «k:rec» f' (x : 'a «t:list») = «k:match» x «k:with» [] -> «s:'a'» | h :: _ -> «s:{|it's "|}»"#,
    );
}

#[test]
fn fsharp() {
    check(
        "a.fs",
        r#"«a:[<Struct>]» «k:type» «t:A» = { x: 'a } «c:// it's»
«k:let» f' x = «k:match» x «k:with» | «t:Some» «s:'c'» -> «s:$"{x}"» | _ -> «s:"""it's "q" """»"#,
    );
}

#[test]
fn clojure() {
    check(
        "a.clj",
        r#"(«k:ns» app.core («o::require» [a.b «o::as» b])) «c:; it's»
(«k:defn-» «f:run!» [x] («k:if-let» [y 'z] («f:println» «s:"a \" b"» \" «o::kw») «o:nil»))"#,
    );
}

#[test]
fn lisp() {
    check(
        "a.lisp",
        r#"(«k:defun» «f:run» («f:x») «c:#| it's |#» («k:if» («f:eq» x #\") '«o:nil» «s:"a"»))"#,
    );
}

#[test]
fn emacs_lisp() {
    check(
        "a.el",
        r#"(«k:defun» «f:my-run» («f:x») «s:"Doc."» («k:interactive») («k:setq» y ?\" z ?a «o::key» 'val)) «c:; it's»"#,
    );
}
