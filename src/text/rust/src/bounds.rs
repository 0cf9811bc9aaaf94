//! Bounds on what a template builds: how deep its values nest, how much they hold, and that none holds itself.
//!
//! The engine compares, prints and drops values by recursion and charges no steps for what lies below their first
//! level. compile.rs therefore has these filters applied wherever a template builds, keeps or compares containers.

use std::cell::Cell;

use minijinja::value::{DynObject, ObjectRepr, Rest, Tuple, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State};

/// Levels of a value. Its native stack is what the host left us.
pub const DEPTH: usize = 160;
/// The levels that a sequence of another type than list and tuple counts: the engine chains sums of lists so far.
const CHAINED: usize = 32;
/// What a value may hold however little the template was given: items, and bytes of text.
const NODES: usize = 1 << 18;
const BYTES: usize = 16 << 20;
/// Steps, and how many more each byte of input gives. Templates of today take 1.5 a byte of short messages, 0.1 of long.
const STEPS: u64 = 4 << 20;
const STEPS_PER_BYTE: u64 = 16;
/// Items that are worth one step to look at.
const NODES_PER_STEP: usize = 2;

// No template can apply them by name, as no identifier holds a dash.
pub const BUILT: &str = "built-value";
pub const MAP: &str = "built-map";
pub const FLAT: &str = "flat-value";
pub const KEPT: &str = "kept-value";
pub const WEIGHED: &str = "weighed-value";

thread_local! {
    static INPUT: Cell<usize> = const { Cell::new(0) };
}

/// The steps that a render with `input` bytes of variables may take; sets this thread's limits on values to match.
pub fn begin(input: usize) -> u64 {
    INPUT.set(input);
    STEPS + STEPS_PER_BYTE * input as u64
}

/// The longest rendering. More fits into the steps, but nothing after this could use it.
pub fn max_output() -> usize {
    (64 << 20) + 16 * INPUT.get()
}

/// The most text that one printed value may give.
pub fn max_text() -> usize {
    4 * (BYTES + 4 * INPUT.get())
}

pub fn too_deep() -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("the chat template builds a value that nests deeper than {DEPTH}"))
}

pub fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, "the chat template builds a value that is too large for its messages")
}

#[derive(Default)]
struct Walk {
    nodes: usize,
    bytes: usize,
}

fn is_list(object: &DynObject) -> bool {
    object.is::<Vec<Value>>() || object.is::<Tuple>()
}

/// Whether a map is plain data. Namespaces, which can change once they are inside of another value, are not.
fn is_data(value: &Value, object: &DynObject) -> bool {
    thread_local! {
        static PLAIN: &'static str = Value::from_pairs([("", 0)]).as_object().map_or("", |object| object.type_name());
    }
    PLAIN.with(|plain| object.type_name() == *plain) || value.is_kwargs()
}

impl Walk {
    fn value(&mut self, value: &Value, depth: usize, any: bool) -> Result<(), Error> {
        self.nodes += 1;
        self.bytes += value.as_str().map_or(0, str::len);
        let input = INPUT.get();
        if self.nodes > NODES + input || self.bytes > BYTES + 4 * input {
            return Err(too_large());
        }
        let Some(object) = value.as_object() else { return Ok(()) };
        if depth >= DEPTH {
            return Err(too_deep());
        }
        match object.repr() {
            ObjectRepr::Seq | ObjectRepr::Iterable => {
                let below = depth + if is_list(object) { 1 } else { CHAINED };
                object.try_iter().into_iter().flatten().try_for_each(|item| self.value(&item, below, any))
            }
            ObjectRepr::Map if any || is_data(value, object) => {
                object.try_iter_pairs().into_iter().flatten().try_for_each(|(key, item)| {
                    self.value(&key, depth + 1, any)?;
                    self.value(&item, depth + 1, any)
                })
            }
            _ if any => Ok(()),
            _ => {
                let what = if object.repr() == ObjectRepr::Map { "a namespace or loop" } else { "a macro or function" };
                let message = format!("the chat template puts {what} into another value");
                Err(Error::new(ErrorKind::InvalidOperation, message))
            }
        }
    }

    fn charge(&self, state: &State) -> Result<(), Error> {
        state.consume_fuel((self.nodes / NODES_PER_STEP) as u64)
    }
}

/// A lazy value as a list: chains of lazy values nest out of sight.
fn flat(state: &State, value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    state.consume_fuel((value.len().unwrap_or(0) / NODES_PER_STEP) as u64)?;
    let mut items = Vec::new();
    for item in value.try_iter()? {
        if items.len() % 64 == 63 {
            state.consume_fuel(64 / NODES_PER_STEP as u64)?;
        }
        items.push(item);
    }
    Ok(Value::from(items))
}

fn flat_items(state: &State, items: &[Value]) -> Result<Option<Vec<Value>>, Error> {
    if items.iter().all(|item| item.kind() != ValueKind::Iterable) {
        return Ok(None);
    }
    items.iter().map(|item| flat(state, item.clone())).collect::<Result<_, _>>().map(Some)
}

fn built(state: &State, value: Value) -> Result<Value, Error> {
    if value.as_object().is_none() {
        return Ok(value);
    }
    let mut value = flat(state, value)?;
    if let Some(items) = value.downcast_object_ref::<Vec<Value>>() {
        if let Some(items) = flat_items(state, items)? {
            value = Value::from(items);
        }
    } else if let Some(tuple) = value.downcast_object_ref::<Tuple>() {
        let items: Vec<Value> = tuple.iter().cloned().collect();
        if let Some(items) = flat_items(state, &items)? {
            value = Value::from(Tuple::from(items));
        }
    }
    let mut walk = Walk::default();
    walk.value(&value, 0, false)?;
    walk.charge(state)?;
    Ok(value)
}

/// A map of a list of keys and values in turn; hashing a key looks at all of it.
fn map(state: &State, value: Value) -> Result<Value, Error> {
    let mut pairs = Vec::with_capacity(value.len().unwrap_or(0) / 2);
    let mut items = value.try_iter()?;
    while let (Some(key), Some(item)) = (items.next(), items.next()) {
        pairs.push((weighed(state, key)?, flat(state, item)?));
    }
    built(state, pairs.into_iter().collect())
}

/// What a namespace may keep: it is the one value that changes, and so could come to hold itself.
fn kept(state: &State, value: Value) -> Result<Value, Error> {
    let Some(object) = value.as_object() else { return Ok(value) };
    match object.repr() {
        ObjectRepr::Seq => Ok(value),
        ObjectRepr::Iterable => flat(state, value),
        ObjectRepr::Map if is_data(&value, object) => Ok(value),
        _ => Err(Error::new(
            ErrorKind::InvalidOperation,
            "the chat template keeps a namespace, loop, macro or function in a namespace",
        )),
    }
}

/// Charges for looking at all of a value.
pub fn weigh(state: &State, value: &Value) -> Result<(), Error> {
    if value.as_object().is_some() {
        let mut walk = Walk::default();
        walk.value(value, 0, true)?;
        walk.charge(state)?;
    }
    Ok(())
}

fn weighed(state: &State, value: Value) -> Result<Value, Error> {
    weigh(state, &value)?;
    Ok(value)
}

pub fn install(env: &mut Environment<'static>) {
    env.add_filter(BUILT, built);
    env.add_filter(MAP, map);
    env.add_filter(FLAT, flat);
    env.add_filter(KEPT, kept);
    env.add_filter(WEIGHED, weighed);
    let functions: Vec<(String, Value)> = env
        .globals()
        .filter(|(name, _)| ["dict", "namespace"].contains(name))
        .map(|(name, function)| (name.to_string(), function.clone()))
        .collect();
    for (name, function) in functions {
        env.add_function(name, move |state: &mut State, given: Rest<ValueOrKwargs>| -> Result<Value, Error> {
            let given: Vec<Value> =
                given.0.into_iter().map(|value| built(state, value.into_value())).collect::<Result<_, _>>()?;
            function.call(state, &given)
        });
    }
}
