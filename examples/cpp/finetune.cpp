// Fine-tunes a model on a file of chat records, shows each step, and saves the result.
//
//   finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]
#include <cstdio>
#include <exception>
#include <ilt.hpp>
#include <string>

namespace {

ilt::Next show_step(const ilt::Event& event) {
  const ilt::Metrics& metrics = *event.metrics;
  if (event.type == ILT_EVENT_STEP_END)
    std::printf("step %lld of %lld: loss %.4f, gradient norm %.3f, %.0f tokens/s\n",
                static_cast<long long>(metrics.step), static_cast<long long>(metrics.step_total), metrics.loss,
                metrics.grad_norm, metrics.tokens_per_second);
  return ilt::Next::go_on;  // stop would end the run after this step
}

// Sets "option=value".
void set_option(ilt::Config& config, const std::string& text) {
  const std::size_t equals = text.find('=');
  config.set(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
}

void finetune(int argc, char** argv) {
  ilt::Config config;
  config.set("model_path", argv[1]).set("data_path", argv[2]);
  config.set("effective_batch_size", "16").set("max_seq_len", "2048").set("max_batch_len", "4096");
  config.set("learning_rate", "1e-5");
  for (int arg = 4; arg < argc; ++arg) set_option(config, argv[arg]);

  ilt::Session session(config);
  session.set_event_callback(show_step);
  session.train_run();
  session.save(argv[3], ILT_CKPT_WEIGHTS);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]\n");
    return 2;
  }
  try {
    finetune(argc, argv);
  } catch (const ilt::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.status_name(), error.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
