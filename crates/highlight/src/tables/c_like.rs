//! Languages with C-like syntax.

use crate::Class;
use crate::code::{
    BlockComment, Calls, Capitals, Grammar, Inlay, LazyGrammar, LineComment, Mark, Numbers, Prefix,
    Quote,
};

const SLASHES: &[LineComment] = &[LineComment::new("//")];

/// A language with the comments and quotes of C, the default of this table.
const BRACES: Grammar = Grammar {
    line: SLASHES,
    block: &[BlockComment::C],
    quotes: &[Quote::DOUBLE, Quote::SINGLE],
    ..Grammar::PLAIN
};

const NESTED: &[BlockComment] = &[BlockComment::nested("/*", "*/")];

pub(crate) static RUST: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "as async await break const continue crate dyn else extern for if impl in let loop \
        macro_rules match mod move mut pub ref return self static super unsafe use where while yield gen",
    soft: "union default auto safe raw",
    functions: "fn",
    classes: "struct enum trait type",
    types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    constants: "true false",
    block: NESTED,
    quotes: &[Quote::lines("\"")],
    prefixes: &[
        Prefix { words: "r br cr", quotes: &[Quote::lines("\"").raw().fence(b'#')] },
        Prefix { words: "b c", quotes: &[Quote::lines("\"")] },
        Prefix { words: "b", quotes: &[Quote::line("'")] },
    ],
    inlays: &[
        Inlay { open: "#[", close: b']', class: Class::Attribute },
        Inlay { open: "#![", close: b']', class: Class::Attribute },
    ],
    marks: &[(b'\'', Mark::Lifetime)],
    calls: Calls::Macros,
    ..BRACES
});

const C_KEYWORDS: &str = "auto break case const continue default do else extern for goto if inline \
    register restrict return sizeof static switch typedef volatile while _Alignas _Alignof _Atomic \
    _Generic _Noreturn _Static_assert _Thread_local alignas alignof constexpr static_assert \
    thread_local typeof";

const C_TYPES: &str = "bool char double float int long short signed unsigned void size_t ssize_t \
    ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t \
    wchar_t off_t pid_t time_t va_list _Bool _Complex";

const C_QUOTES: &[Quote] = &[Quote::continued("\""), Quote::SINGLE];

pub(crate) static C: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: C_KEYWORDS,
    classes: "struct union enum",
    types: C_TYPES,
    constants: "true false NULL nullptr",
    quotes: C_QUOTES,
    prefixes: &[Prefix { words: "L u U u8", quotes: C_QUOTES }],
    inlays: &[Inlay { open: "[[", close: b']', class: Class::Attribute }],
    marks: &[(b'#', Mark::Preprocessor)],
    members: &[".", "->"],
    numbers: Numbers::Apostrophes,
    ..BRACES
});

pub(crate) static CPP: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "alignas alignof and and_eq asm auto bitand bitor break case catch co_await co_return \
        co_yield compl const const_cast consteval constexpr constinit continue decltype default \
        delete do dynamic_cast else explicit export extern final for friend goto if import inline \
        module mutable namespace new noexcept not not_eq operator or or_eq override private \
        protected public register reinterpret_cast requires return sizeof static static_assert \
        static_cast switch template this thread_local throw try typedef typeid typename using \
        virtual volatile while xor xor_eq restrict __restrict __attribute__",
    classes: "class struct union enum concept",
    types: "bool char char8_t char16_t char32_t double float int long short signed unsigned void \
        size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t \
        intptr_t uintptr_t wchar_t string string_view vector map set unordered_map unordered_set \
        optional variant unique_ptr shared_ptr weak_ptr pair tuple array span",
    constants: "true false nullptr NULL",
    quotes: C_QUOTES,
    prefixes: &[
        Prefix { words: "R LR uR UR u8R", quotes: &[Quote::chosen("\"")] },
        Prefix { words: "L u U u8", quotes: C_QUOTES },
    ],
    inlays: &[Inlay { open: "[[", close: b']', class: Class::Attribute }],
    marks: &[(b'#', Mark::Preprocessor)],
    members: &[".", "->"],
    numbers: Numbers::Apostrophes,
    ..BRACES
});

pub(crate) static OBJECTIVE_C: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "auto break case const continue default do else extern for goto if in inline register \
        return self sizeof static super switch typedef volatile while nonatomic strong weak copy \
        assign readonly readwrite nullable nonnull __block __weak __strong",
    classes: "struct union enum",
    types: "bool char double float int long short signed unsigned void id instancetype BOOL SEL \
        IMP size_t int32_t int64_t uint32_t uint64_t CGFloat",
    constants: "true false YES NO nil Nil NULL",
    quotes: &[Quote::continued("\""), Quote::SINGLE, Quote::line("@\"").to("\"")],
    marks: &[(b'#', Mark::Preprocessor), (b'@', Mark::Attribute)],
    members: &[".", "->"],
    ..BRACES
});

pub(crate) static CSHARP: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract as async await base break case catch checked const continue default \
        delegate do else event explicit extern finally fixed for foreach get global goto if \
        implicit in init internal is lock namespace operator out override params partial private \
        protected public readonly ref required return sealed set sizeof stackalloc static switch \
        this throw try typeof unchecked unsafe using var virtual volatile when where while with \
        yield file scoped",
    classes: "class struct enum interface record new",
    types: "bool byte char decimal double dynamic float int long nint nuint object sbyte short \
        string uint ulong ushort void",
    constants: "true false null",
    quotes: &[
        Quote::DOUBLE,
        Quote::SINGLE,
        Quote::lines("\"\"\"").raw(),
        Quote::line("$\"").to("\""),
        Quote::between("@\"", "\""),
        Quote::between("$@\"", "\""),
        Quote::between("@$\"", "\""),
        Quote::between("$\"\"\"", "\"\"\""),
        Quote::between("$$\"\"\"", "\"\"\""),
    ],
    marks: &[(b'#', Mark::Preprocessor)],
    capitals: Capitals::TypesAndCalls,
    ..BRACES
});

pub(crate) static JAVA: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract assert break case catch const continue default do else extends final \
        finally for goto if implements import instanceof native package private protected public \
        return static strictfp super switch synchronized this throw throws transient try var \
        volatile while",
    soft: "yield sealed permits when module requires exports opens non-sealed",
    classes: "class interface enum new",
    types: "boolean byte char double float int long short void",
    constants: "true false null",
    quotes: &[Quote::DOUBLE, Quote::SINGLE, Quote::lines("\"\"\"")],
    marks: &[(b'@', Mark::Attribute)],
    ..BRACES
});

pub(crate) static KOTLIN: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract actual annotation as break by catch companion const constructor continue \
        crossinline data do else expect external final finally for get if import in infix init \
        inline inner internal is lateinit noinline open operator out override package private \
        protected public reified return sealed set super suspend tailrec this throw try typealias \
        val var vararg when where while",
    functions: "fun",
    classes: "class interface object enum",
    constants: "true false null",
    block: NESTED,
    quotes: &[Quote::DOUBLE.hole("${"), Quote::SINGLE, Quote::lines("\"\"\"").raw().hole("${")],
    marks: &[(b'@', Mark::Attribute)],
    ..BRACES
});

pub(crate) static SCALA: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract case catch do else export extends final finally for forSome given if \
        implicit import lazy match new override package private protected return sealed super \
        then this throw try using val var while with yield",
    soft: "inline opaque open transparent derives extension end as",
    functions: "def",
    classes: "class object trait type enum",
    constants: "true false null",
    block: NESTED,
    quotes: &[Quote::DOUBLE, Quote::lines("\"\"\"").raw()],
    prefixes: &[Prefix {
        words: "s f raw",
        quotes: &[Quote::lines("\"\"\"").raw().hole("${"), Quote::DOUBLE.hole("${")],
    }],
    marks: &[(b'\'', Mark::Char), (b'@', Mark::Attribute)],
    ..BRACES
});

pub(crate) static SWIFT: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "as associatedtype async await break case catch continue convenience default defer \
        deinit didSet do dynamic else extension fallthrough fileprivate final for get guard if \
        import in indirect infix init inout internal is isolated lazy let mutating nonisolated \
        nonmutating open operator optional override postfix precedencegroup prefix private public \
        repeat required rethrows return self set some any static subscript super switch throw \
        throws try unowned var weak where while willSet",
    functions: "func",
    classes: "class struct enum protocol actor typealias",
    types: "Self",
    constants: "true false nil",
    block: NESTED,
    quotes: &[
        Quote::DOUBLE.hole("\\("),
        Quote::lines("\"\"\"").hole("\\("),
        Quote::between("#\"", "\"#"),
        Quote::between("#\"\"\"", "\"\"\"#"),
    ],
    marks: &[(b'#', Mark::Preprocessor), (b'@', Mark::Attribute)],
    ..BRACES
});

pub(crate) static GO: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "break case chan const continue default defer else fallthrough for go goto if import \
        map package range return select switch var struct interface",
    functions: "func",
    classes: "type",
    types: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 \
        int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
    constants: "true false nil iota",
    quotes: &[Quote::DOUBLE, Quote::SINGLE, Quote::lines("`").raw()],
    capitals: Capitals::TypesAndCalls,
    ..BRACES
});

pub(crate) static ZIG: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch \
        comptime const continue defer else enum errdefer error export extern for if inline \
        linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct \
        suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
    functions: "fn",
    types: "anyerror anyopaque bool c_char c_int c_long c_uint comptime_float comptime_int f16 f32 \
        f64 f128 i8 i16 i32 i64 i128 isize noreturn type u1 u8 u16 u32 u64 u128 usize void",
    constants: "true false null undefined",
    block: &[],
    marks: &[(b'@', Mark::Builtin), (b'\\', Mark::LineString)],
    ..BRACES
});

pub(crate) static DART: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "abstract as assert async await base break case catch const continue covariant default \
        deferred do dynamic else export extends external factory final finally for get if \
        implements import in is late library new on operator part required rethrow return sealed \
        set show static super switch sync this throw try typedef var when while with yield",
    classes: "class enum mixin extension",
    types: "bool double int num void",
    constants: "true false null",
    block: NESTED,
    quotes: &[
        Quote::DOUBLE.hole("${"),
        Quote::SINGLE.hole("${"),
        Quote::lines("\"\"\"").hole("${"),
        Quote::lines("'''").hole("${"),
    ],
    prefixes: &[Prefix {
        words: "r",
        quotes: &[
            Quote::lines("\"\"\"").raw(),
            Quote::lines("'''").raw(),
            Quote::DOUBLE.raw(),
            Quote::SINGLE.raw(),
        ],
    }],
    marks: &[(b'@', Mark::Attribute)],
    ..BRACES
});

pub(crate) static PROTOBUF: LazyGrammar = LazyGrammar::new(Grammar {
    keywords: "extend extensions group import map oneof option optional package public repeated \
        required reserved returns stream syntax edition to weak",
    functions: "rpc",
    classes: "message enum service",
    types: "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 \
        string uint32 uint64",
    constants: "true false max",
    ..BRACES
});
