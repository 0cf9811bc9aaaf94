// ilt devices: what there is to run on.
#include <cstdio>

#include "cli/client.h"
#include "cli/commands.h"

namespace ilt_cli {
namespace {

int print_devices() {
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  std::int32_t count = 0;
  call(ilt_device_count, &count);
  for (std::int32_t i = 0; i < count; ++i) {
    ilt_device_info info = ILT_DEVICE_INFO_INIT;
    call(ilt_device_get, i, &info);
    std::printf("%-8s %s", info.id, info.name);
    if (info.mem_total_bytes > 0)
      std::printf(", %.1f GiB memory, %.1f GiB free", static_cast<double>(info.mem_total_bytes) / gib,
                  static_cast<double>(info.mem_free_bytes) / gib);
    std::printf("\n");
  }
  return 0;
}

}  // namespace

Command add_devices(CLI::App& app) {
  app.add_subcommand("devices", "List the devices that can be used");
  return print_devices;
}

}  // namespace ilt_cli
