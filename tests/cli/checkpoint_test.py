"""Runs `ilt checkpoint` and the signals of `ilt train`: states described, exported and compared, and saved on request."""

import json
import signal
import subprocess

from cli_test import ILT, Case, ilt, unittest


class Checkpoint(Case):
    def train(self, **changes: object) -> None:
        result = ilt(*self.train_args(save_every_steps=1, keep_last=0, **changes))
        self.assertEqual(result.returncode, 0, result.stderr)

    def state(self, step: int) -> str:
        return str(self.out / "full_state" / f"step_{step}")

    def test_states_are_listed_and_described(self) -> None:
        self.train(max_steps=2)
        lines = ilt("checkpoint", "list", self.out).stdout.splitlines()
        self.assertEqual([line.split()[1] for line in lines], ["1", "2"])
        self.assertEqual(json.loads(ilt("checkpoint", "info", self.state(2)).stdout)["step"], 2)
        self.assertIn("is whole", ilt("checkpoint", "verify", self.state(2)).stdout)
        weights = self.out / "full_state" / "step_2" / "weights.safetensors"
        changed = bytearray(weights.read_bytes())
        changed[len(changed) // 2] ^= 1
        weights.write_bytes(changed)
        self.fails(1, "weights.safetensors", "checkpoint", "verify", self.state(2))
        weights.unlink()
        self.fails(1, "weights.safetensors", "checkpoint", "verify", self.state(2))
        result = ilt(*self.train_args(max_steps=3))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("step_2 is passed over", result.stderr)
        self.assertIn("going on from", result.stderr)

    def test_states_are_exported(self) -> None:
        self.train(max_steps=2)
        target = self.folder / "exported"
        self.assertEqual(ilt("checkpoint", "export", self.state(2), target).returncode, 0)
        model = self.out / "hf_format" / "samples_4"
        self.assertEqual({p.name for p in target.iterdir()}, {p.name for p in model.iterdir()})
        for name in ("config.json", "tokenizer.json"):
            self.assertEqual((target / name).read_bytes(), (model / name).read_bytes())
        scores = [ilt("score", "--model-path", path, stdin="[1, 2, 3]\n").stdout for path in (target, model)]
        self.assertEqual(scores[0], scores[1])
        self.fails(1, "no/model", "checkpoint", "export", self.state(2), self.folder / "x", "--model-path", "/no/model")
        self.assertFalse((self.folder / "x").exists())

    def test_states_are_compared(self) -> None:
        self.train(max_steps=2)
        same = ilt("checkpoint", "diff", self.state(1), self.state(1))
        self.assertEqual((same.returncode, "0 are not" in same.stdout), (0, True), same.stdout)
        other = ilt("checkpoint", "diff", self.state(1), self.state(2))
        self.assertEqual(other.returncode, 1)
        self.assertIn("run step: 1 -> 2", other.stdout)
        self.assertIn("weights.safetensors model.embed_tokens.weight: by at most", other.stdout)
        found = json.loads(ilt("checkpoint", "diff", self.state(1), self.state(2), "--json").stdout)
        self.assertFalse(found["equal"])
        self.fails(1, "step_9", "checkpoint", "diff", self.state(1), self.state(9))

    def test_a_signal_saves_and_the_run_goes_on(self) -> None:
        args = [ILT, *self.train_args(num_epochs=20, full_state_at_epoch="false", checkpoint_at_epoch="false")]
        with subprocess.Popen(args, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            saved = []
            for line in process.stderr:
                if line.startswith("step 3/"):
                    process.send_signal(signal.SIGUSR1)
                if line.startswith("saved "):
                    saved.append(line.split("/")[-2:])
        self.assertEqual(process.returncode, 0)
        self.assertEqual([folder for folder, _ in saved], ["hf_format", "full_state", "hf_format"])
        self.assertEqual(ilt("checkpoint", "verify", self.state(int(saved[1][1].split("_")[1]))).returncode, 0)


if __name__ == "__main__":
    unittest.main()
