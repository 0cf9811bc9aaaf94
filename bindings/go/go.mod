module libilt.org/go/ilt

go 1.24
