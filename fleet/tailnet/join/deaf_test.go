package join

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"testing"

	"ocaptain/fleet/tailnet/tailnettest"
)

// TestDeaf becomes this test again, which then can listen on sockets of files and connect, but at no TCP port, unless
// the kernel knows no way to keep it from that.
func TestDeaf(t *testing.T) {
	const deafened = "DEAFENED"
	if addr, ok := os.LookupEnv(deafened); ok {
		if l, err := net.Listen("unix", t.TempDir()+"/s"); err != nil {
			t.Error(err)
		} else {
			l.Close()
		}
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if _, err := net.Listen("tcp", "127.0.0.1:0"); errors.Is(err, fs.ErrPermission) != tailnettest.KeepsFromPorts() {
			t.Errorf("listen: %v", err)
		}
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	argv, err := deaf(os.Args[0], "-test.run=^TestDeaf$")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), deafened+"="+l.Addr().String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
