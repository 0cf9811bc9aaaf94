// What small calls and steps cost in Go (../run.py).
module libilt.org/go/binding_cost

go 1.25.0

require libilt.org/go/ilt v0.0.0

replace libilt.org/go/ilt => ../../../bindings/go
