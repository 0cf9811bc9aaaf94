// ilt.hpp - ilt.h for C++17 and later: handles that free themselves, errors as exceptions, results as values.
//
//   ilt::Config config;
//   config.set("model_path", "granite-2b");  // ... and the other options
//   ilt::Session session(config);
//   session.train_run();
//   session.save("out", ILT_CKPT_WEIGHTS);
//
// Each function here calls the one of ilt.h whose comment has the rest: threads, errors, formats. c() gives the handle
// for what a program wants to call itself; the wrapper keeps it. A handle that was moved from holds NULL: calls on it
// throw ILT_ERR_INVALID_ARGUMENT. Structs and enumerations are those of ilt.h.
#ifndef ILT_HPP_
#define ILT_HPP_

#include <ilt.h>
#include <ilt/batch.hpp>
#include <ilt/callback.hpp>
#include <ilt/cancel_token.hpp>
#include <ilt/checkpoint.hpp>
#include <ilt/config.hpp>
#include <ilt/dataset.hpp>
#include <ilt/error.hpp>
#include <ilt/library.hpp>
#include <ilt/sample.hpp>
#include <ilt/session.hpp>
#include <ilt/tokenizer.hpp>

#endif  // ILT_HPP_
