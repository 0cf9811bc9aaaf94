// Chat templates against what transformers renders, and where they are found.
#include "text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>

#include <functional>
#include <thread>

#include "base/error.h"
#include "text/support.h"

namespace ilt {
namespace {

const Json hi = {{{"role", "user"}, {"content", "Hi"}}};

// A template by itself, with the test model's special tokens.
ChatTemplate compile(const std::string& source) {
  const test::ScratchFolder folder;
  return ChatTemplate::load(test::data_folder() / "model", folder.write("t.jinja", source));
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChatTemplate, EqualsTransformers) {
  for (const Json& one : test::golden("render.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const ChatTemplate chat = compile(one["template"].get<std::string>());
    EXPECT_EQ(chat.render(one["messages"], one["add_generation_prompt"].get<bool>(), one["extra"]), one["expected"]);
  }
}

TEST(ChatTemplate, DropsNullKeysOfMessages) {
  const ChatTemplate chat = compile("{{ 'content' in messages[0] }}{{ tools is none }}");
  EXPECT_EQ(chat.render({{{"role", "assistant"}, {"content", nullptr}}}, false), "FalseTrue");
}

TEST(ChatTemplate, KnowsSpecialTokensInBothForms) {
  EXPECT_EQ(compile("{{ bos_token }}{{ eos_token }}{{ unk_token }}").render(hi, false), "<s></s>");
}

TEST(ChatTemplate, GivesTheTemplatesOwnMessage) {
  const ChatTemplate chat = compile("\n{{ raise_exception('Turns must alternate.') }}");
  EXPECT_THAT(error_of([&] { chat.render(hi, false); }), testing::HasSubstr("Turns must alternate. (line 2"));
  EXPECT_THAT(error_of([&] { compile("{% if %}"); }), testing::HasSubstr("t.jinja"));
}

TEST(ChatTemplate, PrintsTheDateItIsGiven) {
  ChatTemplate chat = compile("{{ strftime_now('%d %b %Y, %A %-d %B %y %j %H:%M:%S %I%p %%') }}");
  EXPECT_TRUE(chat.prints_date());
  chat.set_time(1769860800 + 13 * 3600 + 5);  // noon of 31 January 2026, and more
  EXPECT_EQ(chat.render(hi, false), "01 Feb 2026, Sunday 1 February 26 032 01:00:05 01AM %");
  chat.set_time(951782400);  // a leap day
  EXPECT_EQ(chat.render(hi, false), "29 Feb 2000, Tuesday 29 February 00 060 00:00:00 12AM %");
}

TEST(ChatTemplate, IsFoundInItsPlaces) {
  const test::ScratchFolder folder;
  EXPECT_THAT(error_of([&] { ChatTemplate::load(folder.path()); }), testing::HasSubstr("chat_template_path"));
  folder.write("tokenizer_config.json",
               R"({"chat_template": [{"name": "rag", "template": "R"}, {"name": "default", "template": "D"}]})");
  EXPECT_EQ(ChatTemplate::load(folder.path()).render(hi, false), "D");
  folder.write("tokenizer_config.json", R"({"chat_template": "OLD {{ messages[0].content }}"})");
  EXPECT_EQ(ChatTemplate::load(folder.path()).render(hi, false), "OLD Hi");
  folder.write("chat_template.jinja", "NEW");
  EXPECT_EQ(ChatTemplate::load(folder.path()).render(hi, false), "NEW");
  const auto other = folder.write("other.json", R"({"chat_template": "OTHER"})");
  EXPECT_EQ(ChatTemplate::load(folder.path(), other).render(hi, false), "OTHER");
}

TEST(ChatTemplate, SurvivesEndlessRecursion) {
  const ChatTemplate chat = compile("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
  EXPECT_THROW(chat.render(hi, false), Error);
}

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// Runs `work` with the little stack that a host's thread may have.
void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct Hostile {
  const char* name;
  std::string source;
  std::string reason;  // a part of the error; empty where it renders
};

void PrintTo(const Hostile& one, std::ostream* out) {
  *out << one.name;
}

class ChatTemplateBounds : public testing::TestWithParam<Hostile> {};

TEST_P(ChatTemplateBounds, Hold) {
  std::string error;
  on_small_stack([&] { error = error_of([&] { compile(GetParam().source).render(hi, false); }); });
  EXPECT_THAT(error, testing::HasSubstr(GetParam().reason.empty() ? "no error" : GetParam().reason));
}

const std::string two_loops = "{% for i in range(99999) %}{% for j in range(99999) %}";
const std::string two_ends = "{% endfor %}{% endfor %}";
// Two equal values of 2^15 items, built of 15 lists each.
const std::string twins = "{% set a = [1] %}{% set b = [1] %}" + repeat("{% set a = [a, a] %}{% set b = [b, b] %}", 14);

std::string in_loops(const std::string& expression) {
  return twins + two_loops + "{% if " + expression + " %}{% endif %}" + two_ends;
}

std::string kept(const std::string& expression) {
  return "{% set ns = namespace(a=messages) %}{% for i in range(99999) %}{% set ns.a = " + expression +
         " %}{% endfor %}{{ ns.a }}";
}

const char* const parts = "more than 2000 parts";
const char* const brackets = "deeper than 64 brackets";
const char* const deep = "nests deeper than 160";
const char* const steps = "did not end within";
const char* const large = "too large";

const Hostile hostile[] = {
    {"Source", repeat("x", (1 << 20) + 1), "more than 1048576"},
    {"Attributes", "{{ a" + repeat(".b", 100000) + " }}", parts},
    {"Filters", "{{ 1" + repeat("|abs", 100000) + " }}", parts},
    {"Nots", "{{ " + repeat("not ", 100000) + "1 }}", parts},
    {"Signs", "{{ " + repeat("-", 100000) + "1 }}", parts},
    {"Sums", "{{ 1" + repeat("+1", 100000) + " }}", parts},
    {"Ternaries", "{{ 1" + repeat(" if 1 else 1", 50000) + " }}", parts},
    {"Targets", "{% set a" + repeat(".b", 100000) + " = 1 %}", parts},
    {"LongestChain", "{{ " + repeat("not ", 1990) + "1 }}", ""},
    {"Parentheses", "{{ " + repeat("(", 100000) + "1" + repeat(")", 100000) + " }}", brackets},
    {"Lists", "{{ " + repeat("[", 100000) + "1" + repeat("]", 100000) + " }}", brackets},
    {"DeepestLists", "{{ " + repeat("[", 63) + "hi" + repeat("]", 63) + " }}", ""},
    {"Maps", "{{ " + repeat("{1:", 50000) + "1" + repeat("}", 50000) + " }}", brackets},
    {"Unpacking", "{% for " + repeat("(", 100000) + "a" + repeat(")", 100000) + " in x %}{% endfor %}", brackets},
    {"Ifs", repeat("{% if 1 %}", 20000), "deeper than 64 blocks"},
    {"Elifs", "{% if 0 %}" + repeat("{% elif 0 %}", 60000) + "{% endif %}", "more than 500 elif"},
    {"LongList", "{{ [" + repeat("1,", 200000) + "]|length }}", ""},
    {"OtherTemplates", "{% include 'chat' %}", "no other template"},
    {"Blocks", "{% block a %}{{ self.a() }}{% endblock %}", "call themselves"},
    {"BlocksByMacros", "{% macro f() %}{{ self.a() }}{% endmacro %}{% block a %}{{ f() }}{% endblock %}", "recursion"},
    {"Macros", "{% macro f(x) %}{{ f(" + repeat("[", 60) + "x" + repeat("]", 60) + ") }}{% endmacro %}{{ f(1) }}",
     deep},
    {"Loops", "{% for m in messages recursive %}{{ loop(messages) }}{% endfor %}", "recursion"},
    {"OwnMember", "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}", "in a namespace"},
    {"OwnItem", "{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns }}", "into another value"},
    {"OwnChoice", "{% set ns = namespace() %}{% set ns.a = 1 if false else ns %}{{ ns == ns }}", "in a namespace"},
    {"OwnPart", "{% set ns = namespace() %}{% set ns.a, ns.b = ns, 1 %}{{ ns }}", "into another value"},
    {"OwnMacro", "{% set ns = namespace() %}{% macro f() %}{{ ns }}{% endmacro %}{% set ns.f = f %}", "in a namespace"},
    {"DeepLists", kept("[ns.a]"), deep},
    {"DeepTuples", kept("(ns.a,)"), deep},
    {"DeepMaps", kept("{'a': ns.a}"), deep},
    {"DeepDicts", kept("dict(a=ns.a)"), deep},
    {"DeepBatches", kept("ns.a|batch(1)"), deep},
    {"DeepSums", kept("[ns.a + [1]]"), deep},
    {"DeepMapped", kept("ns.a|map('batch', 1)|list"), deep},
    {"DeepLines", "{% set a = 1 %}" + repeat("{% set a = [a] %}", 50000), deep},
    {"LazySlices", "{% set a = messages %}" + repeat("{% set a = a[0:] %}", 40000) + "{{ a }}", ""},
    {"LazyProducts", "{% set a = messages %}" + repeat("{% set a = a * 1 %}", 40000) + "{{ a }}", ""},
    {"LazyReverses", "{% set a = messages %}" + repeat("{% set a = a|reverse %}", 40000) + "{{ a }}", ""},
    {"WideTree", "{% set a = [1] %}" + repeat("{% set a = [a, a] %}", 100) + "{{ a }}", large},
    {"LongSum", "{% set a = [1] %}" + repeat("{% set a = a + a %}", 60) + "{{ a|trim }}", large},
    {"ManyTexts", "{% set a = ['x' * 1000000] * 100000 %}{{ a|trim }}", large},
    {"Equal", in_loops("a == b"), steps},
    {"Contained", in_loops("a in [b]"), steps},
    {"Tested", in_loops("a is eq b"), steps},
    {"Key", in_loops("{a: 1}[b]"), steps},
    {"Sorted", in_loops("[a, b]|sort"), steps},
    {"Selected", in_loops("[a]|select('eq', b)|list"), steps},
    {"Nested", two_loops + two_ends, steps},
    {"Doubled", kept("ns.a ~ ns.a"), steps},
    {"Repeated", "{{ 'x' * 10**12 }}", steps},
    {"Width", "{{ '%9999999999d'|format(1) }}", steps},
    {"StarWidth", "{{ '%*d'|format(10**9, 1) }}", "invalid conversion"},
    {"MethodWidth", "{{ '{:>9999999999}'.format(1) }}", steps},
    {"Indent", "{{ 'a\nb'|indent(10**12) }}", steps},
    {"JsonIndent", "{{ messages|tojson(indent=' ' * 1000) }}", large},
    {"Join", "{{ range(99999)|join('x' * 100000) }}", steps},
    {"Replace", "{{ ('x' * 1000000)|replace('x', 'y' * 1000000) }}", steps},
    {"Batch", "{{ [1]|batch(10**12, 0)|list }}", steps},
    {"Slice", "{{ [1]|slice(10**12)|list }}", steps},
    {"Range", "{{ range(10**18)|list }}", "too many elements"},
    {"Date", "{{ strftime_now('%c' * 1000000) }}", "up to 4096 bytes"},
};

INSTANTIATE_TEST_SUITE_P(Templates, ChatTemplateBounds, testing::ValuesIn(hostile),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(ChatTemplate, RendersAsMuchAsItIsGiven) {
  const std::string text(10 << 20, 'x');
  EXPECT_EQ(compile("{% for m in messages %}{{ m.content }}{% endfor %}")
                .render({{{"role", "user"}, {"content", text}}}, false)
                .size(),
            text.size());
  Json turns = Json::array();
  for (int i = 0; i < 20000; ++i) turns.push_back({{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", "x"}});
  const ChatTemplate chat = compile(
      "{% set ns = namespace(last='', rest=[]) %}{% for m in messages[1:] %}{% if m.role != ns.last %}"
      "{% set ns.last = m.role %}{% set ns.rest = [m] %}{% endif %}{{ ns.rest[0].content ~ '\n' }}{% endfor %}");
  EXPECT_EQ(chat.render(turns, false).size(), 2 * 19999u);
}

TEST(ChatTemplate, CutsTheReasonItIsGiven) {
  const std::string error = error_of([] { compile("{{ raise_exception('é' * 100000) }}").render(hi, false); });
  EXPECT_THAT(error, testing::HasSubstr("é ... (line 1"));
  EXPECT_LT(error.size(), 5000u);
}

TEST(ChatTemplate, ServesSeveralThreads) {
  const ChatTemplate chat = compile("{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}");
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (std::size_t i = 0; i < equal.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) equal[i] += chat.render(hi, false) == "userHi";
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(equal, testing::Each(200));
}

}  // namespace
}  // namespace ilt
