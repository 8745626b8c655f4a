package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets of the data that seccomp(2) gives to a filter, on little-endian processors.
const (
	callOffset = 0
	archOffset = 4
	argsOffset = 16 // each argument has eight bytes
)

// archs are the architectures in the numbering of linux/audit.h.
var archs = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// x32 is a bit in the numbers of the calls in x86_64's second table.
const x32 = 0x40000000

// wallFilter returns the seccomp filter for everything in the sandbox, including the ship's server.
func wallFilter() ([]byte, error) {
	rules := refuse(unix.ENOSYS,
		// The keys of an ordinary captain are those of every process of this user, whatever its namespace.
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		// io_uring makes sockets without a call that a filter sees.
		unix.SYS_IO_URING_SETUP)
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		rules = append(rules, inCall(call, sockets())...)
	}
	return assemble(rules)
}

// nestFilter returns the seccomp filter for programs that the ship's server starts and that must not make user namespaces: in a
// namespace of its own a program has every capability, and can mount file systems of any size.
func nestFilter() ([]byte, error) {
	rules := append(refuse(unix.EPERM, unix.SYS_SETNS), refuse(unix.ENOSYS, unix.SYS_CLONE3)...) // a filter cannot see the flags of clone3
	for _, call := range []uint32{unix.SYS_UNSHARE, unix.SYS_CLONE} {
		rules = append(rules, inCall(call, []bpf.Instruction{
			loadArg(0),
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_NEWUSER, SkipTrue: 1},
			returnErrno(unix.EPERM),
		})...)
	}
	return assemble(rules)
}

// sockets returns rules that refuse address families which no network namespace contains, or which only drivers and
// tools of the superuser need.
func sockets() []bpf.Instruction {
	return []bpf.Instruction{
		loadArg(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipTrue: 6},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 5},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 2},
		loadArg(2),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1}, // lists addresses
		returnErrno(unix.EAFNOSUPPORT),
	}
}

// assemble returns a program that allows everything that no rule refuses. Calls by the tables of other architectures, such as the
// 32-bit one, fail: their numbers differ, and a filter cannot see some of their arguments.
func assemble(rules []bpf.Instruction) ([]byte, error) {
	arch, known := archs[runtime.GOARCH]
	if !known {
		return nil, errors.New("no filter of system calls for " + runtime.GOARCH)
	}
	raw, err := bpf.Assemble(slices.Concat([]bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: arch, SkipTrue: 2},
		bpf.LoadAbsolute{Off: callOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		returnErrno(unix.ENOSYS),
	}, rules, []bpf.Instruction{bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}}))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = binary.Write(&b, binary.NativeEndian, raw)
	return b.Bytes(), err
}

// refuse returns rules that make calls fail with errno.
func refuse(errno syscall.Errno, calls ...uint32) (rules []bpf.Instruction) {
	for _, call := range calls {
		rules = append(rules, inCall(call, []bpf.Instruction{returnErrno(errno)})...)
	}
	return rules
}

// inCall returns rules that apply rule to one call.
func inCall(call uint32, rule []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: callOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(rule))},
	}, rule...)
}

func loadArg(n uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: argsOffset + 8*n, Size: 4} }

func returnErrno(errno syscall.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}
