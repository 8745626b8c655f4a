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

// Where seccomp(2) has what a filter looks at, on processors that begin with the low half of a number.
const (
	callOffset = 0
	archOffset = 4
	argsOffset = 16 // of eight bytes each
)

// archs are the processors by the names of linux/audit.h.
var archs = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// x32 marks the calls of the second table of x86_64.
const x32 = 0x40000000

// wallFilter is the seccomp filter of all that runs behind the wall, the ship's server included.
func wallFilter() ([]byte, error) {
	rules := refuse(unix.ENOSYS,
		// The keys of an ordinary captain are those of a process of the same user, in whatever namespace.
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		// A ring makes sockets without a call that a filter sees.
		unix.SYS_IO_URING_SETUP)
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		rules = append(rules, inCall(call, sockets())...)
	}
	return assemble(rules)
}

// nestFilter is the seccomp filter for programs that the ship's server starts and that must not make user namespaces: in its own
// namespace a program has every capability, and mounts file systems of any size.
func nestFilter() ([]byte, error) {
	rules := append(refuse(unix.EPERM, unix.SYS_SETNS), refuse(unix.ENOSYS, unix.SYS_CLONE3)...) // no filter sees what clone3 is asked for
	for _, call := range []uint32{unix.SYS_UNSHARE, unix.SYS_CLONE} {
		rules = append(rules, inCall(call, []bpf.Instruction{
			loadArg(0),
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_NEWUSER, SkipTrue: 1},
			returnErrno(unix.EPERM),
		})...)
	}
	return assemble(rules)
}

// sockets refuses families that no network namespace holds, or that only drivers and tools of the superuser need.
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

// assemble is a program that allows what no rule refuses. All calls of another processor's tables fail, as those of 32 bits do: their
// numbers are others, and the arguments of some are where no filter sees them.
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

// refuse has calls fail.
func refuse(errno syscall.Errno, calls ...uint32) (rules []bpf.Instruction) {
	for _, call := range calls {
		rules = append(rules, inCall(call, []bpf.Instruction{returnErrno(errno)})...)
	}
	return rules
}

// inCall runs a rule for one call.
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
