package join

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDeaf starts this test as a program that can listen on sockets of files and connect, and at no TCP port.
func TestDeaf(t *testing.T) {
	if os.Getenv("DEAF") != "" {
		if l, err := net.Listen("unix", t.TempDir()+"/s"); err != nil {
			t.Error(err)
		} else {
			l.Close()
		}
		c, err := net.Dial("tcp", os.Getenv("DEAF"))
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if _, err := net.Listen("tcp", ":0"); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("it listens: %v", err)
		}
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var out strings.Builder
	cmd := exec.Command(os.Args[0], "-test.run=^TestDeaf$")
	cmd.Env = append(os.Environ(), "DEAF="+l.Addr().String())
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := startDeaf(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	for range 20 { // whichever thread
		other, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal("this program is deaf, too:", err)
		}
		other.Close()
	}
}
