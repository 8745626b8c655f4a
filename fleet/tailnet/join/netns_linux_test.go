package join_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

const mark = "OCAPTAIN_TEST_APART"

// apart tells whether this test has mounts and a network of its own, with nothing but loopback. Where it has not, it runs there as
// another process, and is over when that is.
func apart(t *testing.T) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", again(t)...)
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Unshareflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	return there(t, cmd)
}

// apartAsRoot is apart by the machine's root, for what no user may do in a namespace of his.
func apartAsRoot(t *testing.T) bool {
	t.Helper()
	if os.Getuid() == 0 {
		return apart(t)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "sudo", "-n", "--", "true").CombinedOutput(); err != nil {
		t.Fatalf("it takes root, or a sudo that asks for no password: %v\n%s", err, out)
	}
	argv := []string{"-n", "--", "env", "HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH"), mark + "=" + t.Name(), "unshare", "--net", "--mount", "--", exe}
	return there(t, exec.CommandContext(t.Context(), "sudo", append(argv, again(t)...)...))
}

// again are the arguments for this test alone.
func again(t *testing.T) []string {
	return []string{"-test.run=^" + t.Name() + "$", "-test.v", "-test.count=1", "-test.timeout=5m"}
}

// there runs this test by a command, unless it is run by that.
func there(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	if os.Getenv(mark) == t.Name() {
		raise(t)
		return true
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("in namespaces: %v\n%s", err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(line, "_test.go:") {
			t.Log(strings.TrimSpace(line))
		}
	}
	return false
}

// raise brings loopback up.
func raise(t *testing.T) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	request(t, fd, syscall.SIOCSIFFLAGS, "lo", syscall.IFF_UP|syscall.IFF_RUNNING)
}

// tunnelOf makes a tunnel device as another tailscaled would, until the end of the test.
func tunnelOf(t *testing.T, name string) {
	t.Helper()
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	request(t, fd, syscall.TUNSETIFF, name, syscall.IFF_TUN|syscall.IFF_NO_PI)
}

// request asks the kernel for something about a device.
func request(t *testing.T, fd int, what uintptr, name string, flags uint16) {
	t.Helper()
	var r [40]byte // struct ifreq
	copy(r[:15], name)
	binary.NativeEndian.PutUint16(r[16:], flags)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), what, uintptr(unsafe.Pointer(&r))); errno != 0 {
		t.Fatalf("%s, request %s: %v", name, strconv.FormatUint(uint64(what), 16), errno)
	}
}
