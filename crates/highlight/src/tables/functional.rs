//! Functional languages.

use crate::Class;
use crate::code::{
    BlockComment, Calls, Capitals, Grammar, Inlay, LazyGrammar, LineComment, Mark, Quote,
};

const HASH: &[LineComment] = &[LineComment::new("#")];
const DASHES: &[LineComment] = &[LineComment::new("--")];
const SEMICOLON: &[LineComment] = &[LineComment::new(";")];

pub(crate) static ELIXIR: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "after alias and case catch cond do else end fn for if import in not or quote raise \
        receive require rescue super try unless unquote use when with __MODULE__",
    functions: "def defp defmacro defmacrop defguard defguardp defdelegate",
    classes: "defmodule defprotocol defimpl defstruct",
    constants: "true false nil",
    line: HASH,
    quotes: &[
        Quote::lines("\"\"\"").hole("#{"),
        Quote::lines("'''").hole("#{"),
        Quote::lines("\"").hole("#{"),
        Quote::SINGLE,
    ],
    marks: &[
        (b':', Mark::Symbol),
        (b'?', Mark::Question),
        (b'~', Mark::Sigil),
        (b'@', Mark::Attribute),
    ],
    inside: "?!",
    ..Grammar::PLAIN
});

pub(crate) static ERLANG: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "after and andalso band begin bnot bor bsl bsr bxor case catch cond div else end fun if \
        let maybe not of or orelse receive rem try when xor",
    constants: "true false undefined ok error",
    line: &[LineComment::new("%")],
    quotes: &[Quote::lines("\""), Quote::SINGLE],
    marks: &[(b'$', Mark::Literal), (b'?', Mark::Attribute)],
    inside: "@",
    capitals: Capitals::Nothing,
    ..Grammar::PLAIN
});

pub(crate) static HASKELL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "as case deriving do else family forall foreign hiding if import in infix infixl infixr \
        let mdo module of qualified rec then where default pattern stock anyclass via",
    classes: "class data instance newtype type",
    constants: "True False",
    line: DASHES,
    block: &[BlockComment::nested("{-", "-}")],
    quotes: &[Quote::continued("\"")],
    inlays: &[Inlay { open: "{-#", close: b'}', class: Class::Meta }],
    marks: &[(b'\'', Mark::Char)],
    inside: "'",
    calls: Calls::Margin,
    ..Grammar::PLAIN
});

pub(crate) static ELM: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "as case else exposing if import in let module of port then where",
    classes: "type alias",
    line: DASHES,
    block: &[BlockComment::nested("{-", "-}")],
    quotes: &[Quote::lines("\"\"\""), Quote::DOUBLE],
    marks: &[(b'\'', Mark::Char)],
    inside: "'",
    calls: Calls::Margin,
    ..Grammar::PLAIN
});

pub(crate) static OCAML: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and as assert asr begin class constraint do done downto else end exception external for \
        fun function functor if in include inherit initializer land lazy let lor lsl lsr lxor \
        match method mod module mutable new nonrec object of open or private rec sig struct then \
        to try type val virtual when while with",
    types: "array bool bytes char exn float int int32 int64 list option result string unit",
    constants: "true false",
    block: &[BlockComment::nested("(*", "*)")],
    quotes: &[Quote::lines("\""), Quote::between("{|", "|}"), Quote::between("{sql|", "|sql}")],
    marks: &[(b'\'', Mark::Char)],
    inside: "'",
    calls: Calls::None,
    ..Grammar::PLAIN
});

pub(crate) static FSHARP: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract and as assert base begin default delegate do done downcast downto elif else \
        end exception extern finally fixed for fun function if in inherit inline interface \
        internal lazy let match member module mutable namespace new not of open or override \
        private public rec return static struct then to try upcast use val when while with yield",
    classes: "type",
    types: "array bool byte char decimal double float float32 int int64 list obj option seq string \
        uint32 uint64 unit",
    constants: "true false null None",
    line: &[LineComment::new("//")],
    block: &[BlockComment::nested("(*", "*)")],
    quotes: &[
        Quote::lines("\"\"\"").raw(),
        Quote::lines("\""),
        Quote::between("@\"", "\""),
        Quote::lines("$\"").to("\""),
        Quote::between("$\"\"\"", "\"\"\""),
        Quote::line("``").raw(),
    ],
    inlays: &[Inlay { open: "[<", close: b']', class: Class::Attribute }],
    marks: &[(b'\'', Mark::Char), (b'#', Mark::Preprocessor)],
    inside: "'",
    ..Grammar::PLAIN
});

/// A Lisp, the default of its dialects.
const LISTS: Grammar = Grammar {
    line: SEMICOLON,
    block: &[BlockComment::nested("#|", "|#")],
    quotes: &[Quote::lines("\"")],
    marks: &[(b':', Mark::Symbol), (b'#', Mark::HashLiteral)],
    members: &[],
    begins: "+-*/<>=!?$%&~^",
    inside: ".:",
    capitals: Capitals::Nothing,
    calls: Calls::After,
    ..Grammar::PLAIN
};

pub(crate) static CLOJURE: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and case comment cond condp do doseq dotimes for if if-let if-not if-some let letfn \
        loop ns or quote recur require throw try catch finally var when when-let when-not \
        when-some import use -> ->> as-> cond-> some->",
    functions: "def defn defn- defmacro defmulti defmethod defonce fn",
    classes: "deftype defrecord defprotocol",
    constants: "true false nil",
    block: &[],
    marks: &[(b':', Mark::Symbol), (b'\\', Mark::Literal)],
    inside: ".:'#",
    ..LISTS
});

pub(crate) static LISP: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and block case cond do dolist dotimes ecase eval-when flet handler-case if in-package \
        labels lambda let let* loop multiple-value-bind or progn quote return return-from setf \
        setq unless unwind-protect when with-open-file declare",
    functions: "defun defmacro defgeneric defmethod defvar defparameter defconstant",
    classes: "defclass defstruct deftype defpackage",
    constants: "t nil",
    folded: true,
    ..LISTS
});

pub(crate) static SCHEME: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and begin case cond define define-record-type define-syntax define-values delay do else \
        export if import lambda let let* let-values letrec letrec* library module or parameterize \
        provide quasiquote quote require set! syntax-rules unless when match struct for for/list",
    constants: "#t #f #true #false",
    ..LISTS
});

pub(crate) static EMACS_LISP: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and catch cl-case cl-loop cond condition-case dolist dotimes if if-let if-let* \
        interactive lambda let let* or pcase prog1 progn provide quote require save-excursion \
        setq setq-default throw unless unwind-protect use-package when when-let when-let* while",
    functions: "defun defmacro defvar defcustom defconst defgroup defface defalias defsubst \
        define-minor-mode define-derived-mode cl-defun cl-defmethod cl-defgeneric",
    classes: "cl-defstruct",
    constants: "t nil",
    block: &[],
    marks: &[(b':', Mark::Symbol), (b'?', Mark::LispChar)],
    ..LISTS
});
