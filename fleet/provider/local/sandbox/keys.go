package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"

	"golang.org/x/net/bpf"
)

// What seccomp(2) says: the offsets in its data, what a filter may return, and the word that linux/audit.h has for
// each processor.
const (
	seccompNumber = 0
	seccompArch   = 4
	seccompAllow  = 0x7fff0000
	seccompErrno  = 0x00050000
)

// keySyscalls are the first of add_key, request_key and keyctl, which follow one another in every table.
var keySyscalls = []struct{ arch, first uint32 }{
	{0xc000003e, 248}, // x86_64
	{0x40000003, 286}, // i386
	{0xc00000b7, 217}, // aarch64
	{0x40000028, 309}, // arm
}

// x32 marks the second table of x86_64.
const x32 = 0x40000000

// keysFilter is a seccomp filter, to be read from the start, that refuses all system calls of the kernel's keyrings:
// the keys of an ordinary captain are those of a process of the same user, in whatever namespace.
func keysFilter() (*os.File, error) {
	var program []bpf.Instruction
	for _, t := range keySyscalls {
		program = append(program,
			bpf.LoadAbsolute{Off: seccompArch, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: t.arch, SkipTrue: 5},
			bpf.LoadAbsolute{Off: seccompNumber, Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: ^uint32(x32)},
			bpf.JumpIf{Cond: bpf.JumpLessThan, Val: t.first, SkipTrue: 2},
			bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: t.first + 2, SkipTrue: 1},
			bpf.RetConstant{Val: seccompErrno | uint32(syscall.ENOSYS)},
		)
	}
	raw, err := bpf.Assemble(append(program, bpf.RetConstant{Val: seccompAllow}))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := binary.Write(&b, binary.NativeEndian, raw); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = write.Write(b.Bytes()) // a pipe has room for so little
	if err := errors.Join(err, write.Close()); err != nil {
		read.Close()
		return nil, err
	}
	return read, nil
}
