//! Shells, queries, build files and settings.

use crate::code::{
    BlockComment, Calls, Capitals, CommentPlace, Grammar, Keys, LazyGrammar, LineComment, Mark,
    Numbers, Quote,
};

const APART: &[LineComment] = &[LineComment::at("#", CommentPlace::Apart)];
const HASH: &[LineComment] = &[LineComment::new("#")];

pub(crate) static SHELL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "alias break builtin case cd command continue declare do done echo elif else esac eval \
        exec exit export fi for getopts if in let local printf pwd read readonly return select set \
        shift shopt source test then time trap type typeset ulimit umask unset until wait while",
    functions: "function",
    constants: "true false",
    line: APART,
    quotes: &[
        Quote::lines("\"").hole("$("),
        Quote::lines("'").raw(),
        Quote::lines("$'").to("'"),
        Quote::lines("`"),
    ],
    marks: &[(b'$', Mark::Variable), (b'\\', Mark::Literal), (b'<', Mark::ShellHeredoc)],
    members: &["-", "/", "."],
    inside: "-",
    capitals: Capitals::Nothing,
    ..Grammar::PLAIN
});

pub(crate) static FISH: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "and argparse begin break builtin case command continue contains echo else end exec for \
        if in not or read return set source status string switch test time while abbr alias cd",
    functions: "function",
    constants: "true false",
    line: APART,
    quotes: &[Quote::lines("\"").hole("$("), Quote::lines("'")],
    marks: &[(b'$', Mark::Variable), (b'\\', Mark::Literal)],
    members: &["-", "/", "."],
    inside: "-",
    capitals: Capitals::Nothing,
    ..Grammar::PLAIN
});

pub(crate) static POWERSHELL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "begin break catch continue data do dynamicparam else elseif end exit finally for \
        foreach from hidden if in param process return static switch throw trap try until using \
        while",
    functions: "function filter",
    classes: "class enum",
    types: "bool int string hashtable array switch object datetime",
    line: HASH,
    block: &[BlockComment::new("<#", "#>")],
    quotes: &[
        Quote::lines("\"").escape(b'`').hole("$("),
        Quote::lines("'").raw(),
        Quote::between("@\"", "\"@"),
        Quote::between("@'", "'@"),
    ],
    begins: "$",
    inside: "-",
    capitals: Capitals::Nothing,
    folded: true,
    ..Grammar::PLAIN
});

pub(crate) static SQL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "add after all alter analyze and any as asc before begin between by call cascade case \
        cast check collate column commit concurrently conflict constraint create cross current \
        cursor database declare default deferrable delete desc distinct do drop each else elsif \
        end escape except exclude execute exists explain fetch filter first following for foreign \
        from full function grant group grouping having if ilike immutable in index inner insert \
        intersect interval into is isolation join key language last lateral left level like limit \
        local lock loop materialized merge minus natural next no not nothing nulls of offset on \
        only or order outer over partition perform policy preceding primary procedure raise range \
        recursive references refresh release rename replace restrict return returning returns \
        revoke right rollback row rows savepoint schema security select sequence session set show \
        similar some stable start strict table temp temporary then to transaction trigger \
        truncate type unbounded union unique unlogged update upsert using vacuum values view \
        volatile when where while window with within without pragma autoincrement virtual",
    types: "bigint bigserial binary bit blob bool boolean bytea char character clob date datetime \
        decimal double enum float int integer json jsonb mediumint money nchar numeric nvarchar \
        precision real serial smallint text time timestamp timestamptz tinyint uuid varbinary \
        varchar varying xml",
    constants: "true false null current_date current_time current_timestamp",
    line: &[LineComment::new("--")],
    block: &[BlockComment::C],
    quotes: &[
        Quote::lines("'").raw(),
        Quote::lines("\"").raw(),
        Quote::line("`").raw(),
        Quote::between("$$", "$$"),
    ],
    capitals: Capitals::Nothing,
    folded: true,
    ..Grammar::PLAIN
});

pub(crate) static DOCKERFILE: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD \
        RUN SHELL STOPSIGNAL USER VOLUME WORKDIR from as run copy env cmd",
    line: &[LineComment::at("#", CommentPlace::First)],
    quotes: &[Quote::DOUBLE, Quote::SINGLE],
    marks: &[(b'$', Mark::Variable), (b'\\', Mark::Literal), (b'<', Mark::ShellHeredoc)],
    members: &["-", "/", "."],
    inside: "-",
    capitals: Capitals::Nothing,
    calls: Calls::None,
    ..Grammar::PLAIN
});

pub(crate) static CMAKE: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "if elseif else endif foreach endforeach while endwhile function endfunction macro \
        endmacro return break continue include set unset option block endblock",
    constants: "on off true false yes no public private interface required not and or defined \
        strequal matches version_less version_greater",
    line: HASH,
    block: &[BlockComment::new("#[[", "]]"), BlockComment::new("#[=[", "]=]")],
    quotes: &[Quote::lines("\""), Quote::between("[[", "]]"), Quote::between("[=[", "]=]")],
    marks: &[(b'$', Mark::Variable)],
    capitals: Capitals::Nothing,
    folded: true,
    ..Grammar::PLAIN
});

pub(crate) static NIX: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "assert else if in inherit let or rec then with import builtins",
    constants: "true false null",
    line: HASH,
    block: &[BlockComment::C],
    quotes: &[Quote::lines("\"").hole("${"), Quote::between("''", "''").hole("${")],
    inside: "-'.",
    capitals: Capitals::Nothing,
    calls: Calls::None,
    keys: Keys::Assigned,
    ..Grammar::PLAIN
});

pub(crate) static HCL: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "data for if in locals module output provider resource terraform variable dynamic each \
        moved import check",
    types: "any bool list map number object set string tuple",
    constants: "true false null",
    line: &[LineComment::new("#"), LineComment::new("//")],
    block: &[BlockComment::C],
    quotes: &[Quote::DOUBLE.hole("${")],
    marks: &[(b'<', Mark::Heredoc)],
    inside: "-",
    capitals: Capitals::Nothing,
    keys: Keys::Assigned,
    ..Grammar::PLAIN
});

pub(crate) static VIM: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "autocmd augroup break call catch colorscheme command continue def echo echom else \
        elseif end enddef endfor endfunction endif endtry endwhile execute export filetype \
        finally finish for highlight if import in inoremap let map nmap nnoremap noremap normal \
        return set setlocal silent source syntax throw try unlet vmap vnoremap while xnoremap \
        onoremap tnoremap cnoremap imap plug vim9script const var hi au syn",
    functions: "function function! fun func",
    line: &[LineComment::at("\"", CommentPlace::First), LineComment::at("# ", CommentPlace::Apart)],
    quotes: &[Quote::DOUBLE, Quote::SINGLE.raw()],
    constants: "v:true v:false v:null true false null",
    inside: ":#",
    capitals: Capitals::Nothing,
    ..Grammar::PLAIN
});

pub(crate) static TOML: LazyGrammar = LazyGrammar::new(Grammar {
    constants: "true false inf nan",
    line: HASH,
    quotes: &[
        Quote::lines("\"\"\""),
        Quote::lines("'''").raw(),
        Quote::DOUBLE,
        Quote::SINGLE.raw(),
    ],
    marks: &[(b'[', Mark::Section)],
    inside: "-.",
    capitals: Capitals::Nothing,
    calls: Calls::None,
    keys: Keys::Assigned,
    numbers: Numbers::Dates,
    ..Grammar::PLAIN
});

pub(crate) static INI: LazyGrammar = LazyGrammar::new(Grammar {
    constants: "true false yes no on off null none",
    line: &[
        LineComment::at("#", CommentPlace::Apart),
        LineComment::at(";", CommentPlace::Apart),
        LineComment::at("!", CommentPlace::Margin),
    ],
    quotes: &[Quote::DOUBLE, Quote::SINGLE],
    marks: &[(b'[', Mark::Section)],
    inside: "-./",
    capitals: Capitals::Nothing,
    calls: Calls::None,
    keys: Keys::Leading,
    numbers: Numbers::Dates,
    folded: true,
    ..Grammar::PLAIN
});

pub(crate) static LATEX: LazyGrammar = LazyGrammar::new(Grammar {
    line: &[LineComment::new("%")],
    quotes: &[Quote::line("$")],
    marks: &[(b'\\', Mark::Command)],
    capitals: Capitals::Nothing,
    calls: Calls::None,
    ..Grammar::PLAIN
});
