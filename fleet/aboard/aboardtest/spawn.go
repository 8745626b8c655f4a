package aboardtest

import (
	"io"
	"os"
	"os/exec"

	"ocaptain/fleet/aboard/wire"
)

// ServeProcess is "aboard serve" as a process that a test can kill.
type ServeProcess struct {
	cmd  *exec.Cmd
	Conn *wire.Conn
	in   io.WriteCloser
}

// Spawn starts "aboard serve" as a process.
func (h *Helm) Spawn(dir string) *ServeProcess {
	h.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command(exe, "aboard", "serve")
	cmd.Env = append(os.Environ(), "HOME="+dir, "GORACE=atexit_sleep_ms=0")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		h.t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	return &ServeProcess{cmd, wire.New(&Pipes{out, in}, wire.Options{Handlers: h.Handlers()}), in}
}

// Kill kills the process, whatever it is doing.
func (p *ServeProcess) Kill() {
	_ = p.cmd.Process.Kill()
	p.End()
}

// End closes the connection, as if the link had been cut.
func (p *ServeProcess) End() {
	_ = p.Conn.Close()
	p.Conn.Wait()
	_ = p.cmd.Wait()
}

// Pipes are the two ends of a connection.
type Pipes struct {
	io.Reader
	io.WriteCloser
}
