// Devices: the CPU is always there, and a missing device names what is.
#include "device/device.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace ilt {
namespace {

TEST(Devices, TheCpuComesFirstWithNameAndMemory) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].id, "cpu");
  EXPECT_FALSE(devices[0].name.empty());
  EXPECT_GT(devices[0].total_bytes, 0);
  EXPECT_LE(devices[0].free_bytes, devices[0].total_bytes);
}

TEST(Devices, ResolvesNames) {
  EXPECT_EQ(resolve_device("cpu"), c10::Device(c10::DeviceType::CPU));
  EXPECT_NO_THROW(resolve_device("auto"));
}

TEST(Devices, AMissingDeviceNamesWhatThereIs) {
  for (const auto* const id : {"cuda:99", "gpu", "", "cpu:1"}) {
    try {
      resolve_device(id);
      ADD_FAILURE() << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::device);
      EXPECT_THAT(error.what(), testing::HasSubstr("this process can use: cpu"));
      EXPECT_EQ(error.detail()["key"], "device");
    }
  }
}

}  // namespace
}  // namespace ilt
