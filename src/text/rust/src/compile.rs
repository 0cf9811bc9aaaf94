//! Compiles a chat template, which nobody vouches for, into instructions that cannot harm the process they run in.
//!
//! Before parsing, the tokens are counted: the engine's parser recurses along chains that it does not count. After
//! compiling, the filters of bounds.rs are put between the instructions. Both go through the engine's unstable interface,
//! which its exact version in Cargo.toml holds still.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::thread;

use minijinja::machinery::{parse, tokenize, CodeGenerator, Instruction, Instructions, Token};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind};

use crate::bounds::{BUILT, FLAT, KEPT, MAP, WEIGHED};

pub const NAME: &str = "chat";
const MAX_SOURCE: usize = 1 << 20;
/// Brackets in brackets, blocks in blocks, `elif` after `elif`.
const MAX_NESTING: usize = 64;
/// Named blocks called from named blocks.
const MAX_CALLED: usize = 16;
const MAX_ELIFS: usize = 500;
/// Tokens of one expression between commas.
const MAX_CHAIN: usize = 2000;
/// Enough for the parser at these limits, on whatever little stack the caller has.
const PARSER_STACK: usize = 32 << 20;

pub struct Program<'a> {
    pub instructions: Instructions<'a>,
    pub blocks: BTreeMap<&'a str, Instructions<'a>>,
    pub size_hint: usize,
}

pub fn compile<'a>(source: &'a str, syntax: &SyntaxConfig) -> Result<Program<'a>, String> {
    check(source, syntax)?;
    let work = || -> Result<Program<'a>, Error> {
        let tree = parse(source, NAME, syntax.clone())?;
        let mut generator = CodeGenerator::new(NAME, source);
        generator.compile_stmt(&tree);
        let size_hint = generator.buffer_size_hint();
        let (instructions, blocks) = generator.finish();
        check_blocks(&instructions, &blocks)?;
        let blocks = blocks.into_iter().map(|(name, block)| (name, guard(&block))).collect();
        Ok(Program { instructions: guard(&instructions), blocks, size_hint })
    };
    thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(PARSER_STACK).spawn_scoped(scope, work);
        match parser.map_err(|e| format!("no thread to parse the chat template on: {e}"))?.join() {
            Ok(program) => program.map_err(|e| crate::template::describe(&e)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What nests at a token: the brackets open, and how many tokens each level of them chains.
struct Nesting {
    chains: Vec<usize>,
    blocks: Vec<usize>,
    elifs: usize,
}

impl Nesting {
    fn token(&mut self, token: &Token) -> Result<(), String> {
        match token {
            Token::BlockStart | Token::VariableStart => self.chains = vec![0],
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => self.chains.push(0),
            Token::ParenClose | Token::BracketClose | Token::BraceClose if self.chains.len() > 1 => {
                self.chains.pop();
            }
            Token::Comma | Token::Colon | Token::Assign => {
                self.chains.last_mut().into_iter().for_each(|count| *count = 0)
            }
            _ => self.chains.last_mut().into_iter().for_each(|count| *count += 1),
        }
        if self.chains.len() > MAX_NESTING {
            return Err(format!("the chat template nests deeper than {MAX_NESTING} brackets"));
        }
        if self.chains.iter().sum::<usize>() > MAX_CHAIN {
            return Err(format!("the chat template has an expression of more than {MAX_CHAIN} parts"));
        }
        Ok(())
    }

    /// `name`: the first word of a tag.
    fn tag(&mut self, name: &str) -> Result<(), String> {
        match name {
            "if" | "for" | "with" | "macro" | "call" | "filter" | "block" | "autoescape" => self.blocks.push(0),
            "elif" => {
                self.elifs += 1;
                if let Some(elifs) = self.blocks.last_mut() {
                    *elifs += 1;
                }
            }
            "endif" | "endfor" | "endwith" | "endmacro" | "endcall" | "endfilter" | "endblock" | "endautoescape" => {
                self.elifs -= self.blocks.pop().unwrap_or(0).min(self.elifs);
            }
            "include" | "import" | "from" | "extends" => {
                return Err(format!("the chat template has a tag \"{name}\", but there is no other template"));
            }
            _ => {}
        }
        if self.blocks.len() > MAX_NESTING {
            return Err(format!("the chat template nests deeper than {MAX_NESTING} blocks"));
        }
        if self.elifs > MAX_ELIFS {
            return Err(format!("the chat template chains more than {MAX_ELIFS} elif"));
        }
        Ok(())
    }
}

fn check(source: &str, syntax: &SyntaxConfig) -> Result<(), String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("the chat template has {} bytes, more than {MAX_SOURCE}", source.len()));
    }
    let mut nesting = Nesting { chains: vec![0], blocks: Vec::new(), elifs: 0 };
    let mut after_start = false;
    // The parser reports what the tokenizer refuses, and with its line.
    for (token, span) in tokenize(source, false, syntax.clone()).map_while(Result::ok) {
        let at_line = |reason| format!("{reason} (line {} of the template)", span.start_line);
        nesting.token(&token).map_err(at_line)?;
        if let (true, Token::Ident(name)) = (after_start, &token) {
            nesting.tag(name).map_err(at_line)?;
        }
        after_start = matches!(token, Token::BlockStart);
    }
    Ok(())
}

fn listing<'c, 'a>(code: &'c Instructions<'a>) -> impl Iterator<Item = &'c Instruction<'a>> {
    (0..).map_while(|index| code.get(index))
}

/// A call of a block takes more of the native stack than the engine counts for it: none may come back to itself, nor
/// may the object escape through which a template calls blocks.
fn check_blocks(main: &Instructions, blocks: &BTreeMap<&str, Instructions>) -> Result<(), Error> {
    let refuse = |what: String| Err(Error::new(ErrorKind::InvalidOperation, format!("the chat template {what}")));
    let is_self = |instruction: &Instruction| matches!(instruction, Instruction::Lookup("self"));
    if blocks.values().chain([main]).flat_map(listing).any(is_self) {
        return refuse("uses \"self\" for more than to print a block".into());
    }
    let mut called: BTreeSet<&str> = blocks.keys().copied().collect();
    for _ in 0..MAX_CALLED {
        let from = called.iter().filter_map(|name| blocks.get(name));
        let callees = from.flat_map(listing).filter_map(|instruction| match instruction {
            Instruction::CallBlock(name) => Some(*name),
            _ => None,
        });
        called = callees.collect();
    }
    if called.is_empty() {
        return Ok(());
    }
    refuse(format!("has named blocks that call themselves, or each other more than {MAX_CALLED} deep"))
}

fn target<'i>(instruction: &'i mut Instruction) -> Option<&'i mut u32> {
    match instruction {
        Instruction::Jump(at)
        | Instruction::JumpIfFalse(at)
        | Instruction::JumpIfFalseOrPop(at)
        | Instruction::JumpIfTrueOrPop(at)
        | Instruction::Iterate(at)
        | Instruction::BuildMacro(_, at, _) => Some(at),
        _ => None,
    }
}

/// The instructions of one block, and what is known of them without running them.
struct Code<'c, 'a> {
    old: &'c Instructions<'a>,
    size: u32,
    targets: HashSet<u32>,
    first_free: u8,
}

impl<'a> Code<'_, 'a> {
    fn at(&self, index: u32) -> &Instruction<'a> {
        self.old.get(index).unwrap_or(&Instruction::Return)
    }

    /// Where the operand that ends before `end` begins, if it is one name with attributes and filters; no jump leads
    /// into it.
    fn operand(&self, end: u32) -> Option<u32> {
        let mut begin = end;
        loop {
            if self.targets.contains(&begin) {
                return None;
            }
            begin = begin.checked_sub(1)?;
            match self.at(begin) {
                Instruction::GetAttr(_) | Instruction::ApplyFilter(_, Some(1), _) => {}
                Instruction::GetItem if matches!(self.at(begin.checked_sub(1)?), Instruction::LoadConst(_)) => {
                    if self.targets.contains(&begin) {
                        return None;
                    }
                    begin -= 1;
                }
                Instruction::Lookup(_) | Instruction::LoadConst(_) => return Some(begin),
                _ => return None,
            }
        }
    }

    /// Whether what lies on the stack before `end` holds nothing: text, a number, a truth.
    fn plain(&self, end: u32) -> bool {
        if self.targets.contains(&end) {
            return false;
        }
        let Some(index) = end.checked_sub(1) else { return false };
        match self.at(index) {
            Instruction::LoadConst(value) => value.as_object().is_none(),
            Instruction::Sub | Instruction::Neg | Instruction::Div | Instruction::IntDiv | Instruction::Rem => true,
            Instruction::Not | Instruction::StringConcat | Instruction::EndCapture | Instruction::IsUndefined => true,
            Instruction::Eq | Instruction::Ne | Instruction::Lt | Instruction::Lte | Instruction::Gt => true,
            Instruction::Gte | Instruction::In | Instruction::PerformTest(..) => true,
            Instruction::Add => self.plain_sum(index),
            // No template can give "loop" another meaning.
            Instruction::GetAttr(name) => {
                index.checked_sub(1).is_some_and(|before| matches!(self.at(before), Instruction::Lookup("loop")))
                    && matches!(*name, "index" | "index0" | "revindex" | "revindex0" | "first" | "last" | "length")
            }
            Instruction::BuildKwargs(1) => self.plain(index),
            Instruction::ApplyFilter(name, ..) => matches!(*name, "trim" | "length" | "tojson" | "string" | "int"),
            _ => false,
        }
    }

    /// Whether one operand of the operator at `index` is plain; the sum of that and a list is an error.
    fn one_plain(&self, index: u32) -> bool {
        self.plain(index) || self.operand(index).is_some_and(|begin| self.plain(begin))
    }

    fn plain_sum(&self, index: u32) -> bool {
        let is_text = |end: u32| {
            end > 0
                && !self.targets.contains(&end)
                && match self.at(end - 1) {
                    Instruction::LoadConst(value) => {
                        value.kind() != ValueKind::Undefined && value.as_object().is_none()
                    }
                    Instruction::Add => self.plain_sum(end - 1),
                    Instruction::StringConcat => true,
                    _ => false,
                }
        };
        is_text(index) || self.operand(index).is_some_and(is_text)
    }

    fn filter(&self, name: &'static str) -> Instruction<'a> {
        let place = [BUILT, MAP, FLAT, KEPT, WEIGHED].iter().position(|known| *known == name).unwrap_or(0) as u8;
        // 50 is the engine's number of filters that it keeps at hand; the last one means: look it up.
        let id = if self.first_free + 5 <= 50 { self.first_free + place } else { u8::MAX };
        Instruction::ApplyFilter(name, Some(1), id)
    }

    /// Charges for all arguments of the filter that follows.
    fn weigh_arguments(&self, count: Option<u16>, out: &mut Vec<Instruction<'a>>) {
        if count == Some(1) {
            return out.push(self.filter(WEIGHED));
        }
        out.push(Instruction::BuildList(count.map(usize::from)));
        out.push(self.filter(WEIGHED));
        out.push(Instruction::UnpackLists(1));
        if count.is_some() {
            out.push(Instruction::DiscardTop);
        }
    }

    fn below_top(&self, name: &'static str, out: &mut Vec<Instruction<'a>>) {
        out.extend([Instruction::Swap, self.filter(name), Instruction::Swap]);
    }

    /// What runs in place of the instruction at `index`.
    fn guarded(&self, index: u32) -> Vec<Instruction<'a>> {
        let mut out = Vec::new();
        let this = self.at(index);
        match this {
            Instruction::BuildMap(count) => {
                return vec![Instruction::BuildList(Some(2 * count)), self.filter(MAP)];
            }
            Instruction::SetAttr(_) if !self.operand(index).is_some_and(|value| self.plain(value)) => {
                self.below_top(KEPT, &mut out);
            }
            Instruction::Eq
            | Instruction::Ne
            | Instruction::Lt
            | Instruction::Lte
            | Instruction::Gt
            | Instruction::Gte
                if !self.one_plain(index) =>
            {
                out.push(self.filter(WEIGHED));
            }
            Instruction::In if !self.one_plain(index) => {
                out.push(self.filter(WEIGHED));
                self.below_top(WEIGHED, &mut out);
            }
            Instruction::CompareAndPreserve(_) => {
                out.push(self.filter(WEIGHED));
                self.below_top(WEIGHED, &mut out);
            }
            // The two swaps keep the engine from taking the key for what was looked into, in an error.
            Instruction::GetItem if !self.plain(index) => {
                out.extend([self.filter(WEIGHED), Instruction::Swap, Instruction::Swap]);
            }
            Instruction::PerformTest(_, Some(2), _) if !self.plain(index) => out.push(self.filter(WEIGHED)),
            Instruction::CallMethod("changed", count) => self.weigh_arguments(*count, &mut out),
            Instruction::PerformTest(_, None, _) => self.weigh_arguments(None, &mut out),
            Instruction::ApplyFilter(name, count, _) => {
                let looks = ["sort", "unique", "groupby", "min", "max", "dictsort"].contains(name);
                let compares = ["select", "reject", "selectattr", "rejectattr", "map"].contains(name);
                if looks || (compares && *count != Some(1) && !self.plain(index)) {
                    self.weigh_arguments(*count, &mut out);
                }
            }
            _ => {}
        }
        out.push(this.clone());
        match this {
            Instruction::BuildList(_) | Instruction::BuildTuple(_) | Instruction::Mul => out.push(self.filter(BUILT)),
            Instruction::Add if !self.plain_sum(index) => out.push(self.filter(BUILT)),
            Instruction::Slice => out.push(self.filter(FLAT)),
            Instruction::ApplyFilter(name, ..) => match *name {
                "batch" | "slice" | "groupby" | "chain" | "zip" | "sum" | "map" => out.push(self.filter(BUILT)),
                "reverse" | "items" | "select" | "reject" | "selectattr" | "rejectattr" => out.push(self.filter(FLAT)),
                _ => {}
            },
            _ => {}
        }
        out
    }
}

fn guard<'a>(old: &Instructions<'a>) -> Instructions<'a> {
    let mut code = Code { old, size: 0, targets: HashSet::new(), first_free: 0 };
    while let Some(instruction) = old.get(code.size) {
        let mut instruction = instruction.clone();
        if let Instruction::ApplyFilter(_, _, id) = instruction {
            code.first_free = code.first_free.max(id.saturating_add(1));
        }
        code.targets.extend(target(&mut instruction).map(|at| *at));
        code.size += 1;
    }
    let groups: Vec<_> = (0..code.size).map(|index| code.guarded(index)).collect();
    let mut starts = vec![0u32];
    for group in &groups {
        starts.push(starts[starts.len() - 1] + group.len() as u32);
    }
    let mut new = Instructions::new(old.name(), old.source());
    for (index, group) in (0u32..).zip(groups) {
        for mut instruction in group {
            if let Some(at) = target(&mut instruction) {
                *at = starts[*at as usize];
            }
            match (old.get_span(index), old.get_line(index)) {
                (Some(span), _) => new.add_with_span(instruction, span),
                (None, Some(line)) => new.add_with_line(instruction, line as u16),
                (None, None) => new.add(instruction),
            };
        }
    }
    new
}
