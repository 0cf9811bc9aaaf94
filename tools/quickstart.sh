#!/usr/bin/env bash
# The quick start: asks SmolLM2-135M a question, fine-tunes it for 20 steps on examples/data, and asks again.
#
#   quickstart.sh [OUT]      (default out/quickstart)
set -euo pipefail
cd "$(dirname "$0")/.."

ILT=build/bin/ilt
MODEL=.deps/models/smollm2-135m
OUT=${1:-out/quickstart}
STEPS=${ILT_QUICKSTART_STEPS:-20}
QUESTION='A baker sells 24 rolls in the morning and half as many in the afternoon. How many rolls does he sell altogether?'

ask() { "$ILT" generate --model-path "$1" --message "$QUESTION" --max-new-tokens 64; }
title() { printf '\n== %s\n' "$*"; }

title "Before: $MODEL answers"
echo "Q: $QUESTION"
ask "$MODEL"

title "Training: $STEPS steps on examples/data/gsm8k.jsonl"
rm -rf "$OUT"
"$ILT" train \
  --model-path "$MODEL" --data-path examples/data/gsm8k.jsonl --ckpt-output-dir "$OUT" \
  --effective-batch-size 4 --max-batch-len 1024 --max-seq-len 512 \
  --max-steps "$STEPS" --learning-rate 2e-5 --warmup-steps 2 --lr-scheduler cosine

result=$(find "$OUT/hf_format" -mindepth 1 -maxdepth 1 -name 'samples_*' | sort -V | tail -n1)
title "After: $result answers"
echo "Q: $QUESTION"
ask "$result"

cat <<END

The fine-tuned model (a Hugging Face folder)   $result
Loss, learning rate, speed of each step        $OUT/training_params_and_metrics_global0.jsonl
Ask it yourself                                $ILT generate --model-path $result --message '...'
END
