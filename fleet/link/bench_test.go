package link_test

import (
	"io"
	"net"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

// BenchmarkRun measures one command on an open connection, and for comparison one with the ssh program on its own
// open connection.
func BenchmarkRun(b *testing.B) {
	s := startSSHD(b)
	l := open(b, s.config())
	if err := l.AwaitConnected(soon(b)); err != nil {
		b.Fatal(err)
	}
	control := unique(b, "ctl")
	master := s.ssh("-M", "-N", "-S", control)
	if err := master.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = master.Process.Kill(); _ = master.Wait() }()
	eventually.Holds(b, "ssh is connected", func() bool { return s.ssh("-S", control, "-O", "check").Run() == nil })
	var ours, plain []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := l.Run(b.Context(), link.Command{Argv: []string{"true"}}); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if err := s.ssh("-S", control, "exec true").Run(); err != nil {
			b.Fatal(err)
		}
		ours, plain = append(ours, between.Sub(start)), append(plain, time.Since(between))
	}
	report(b, "link", ours)
	report(b, "ssh", plain)
}

// BenchmarkKey measures the time from a key to its echo by a program on a remote terminal, and for comparison that
// with the ssh program.
func BenchmarkKey(b *testing.B) {
	s := startSSHD(b)
	l := open(b, s.config())
	const echo = "stty raw -echo; printf r; exec cat"
	remote, err := l.StartPty(b.Context(), link.Command{Argv: []string{"sh", "-c", echo}}, link.Terminal{})
	if err != nil {
		b.Fatal(err)
	}
	local, err := pty.Start(s.ssh("-tt", echo))
	if err != nil {
		b.Fatal(err)
	}
	defer local.Close()
	awaitByte(b, remote)
	awaitByte(b, local)
	var ours, plain []time.Duration
	for b.Loop() {
		ours = append(ours, key(b, remote))
		plain = append(plain, key(b, local))
	}
	report(b, "link", ours)
	report(b, "ssh", plain)
}

func key(b *testing.B, rw io.ReadWriter) time.Duration {
	start := time.Now()
	if _, err := rw.Write([]byte("k")); err != nil {
		b.Fatal(err)
	}
	awaitByte(b, rw)
	return time.Since(start)
}

func awaitByte(b *testing.B, r io.Reader) {
	if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPut measures the throughput of one big file on the bulk connection.
func BenchmarkPut(b *testing.B) {
	l := openReady(b)
	const size = 64 << 20
	file := unique(b, "file")
	b.SetBytes(size)
	for b.Loop() {
		if err := l.BulkLane().PutFile(b.Context(), file, 0o600, io.LimitReader(endless{}, size), size); err != nil {
			b.Fatal(err)
		}
	}
}

func (s *server) ssh(args ...string) *exec.Cmd {
	host, port, _ := net.SplitHostPort(s.addr)
	return exec.Command("ssh", append([]string{
		"-F", "none", "-q", "-i", s.keyFile, "-p", port, "-l", s.config().User,
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", host,
	}, args...)...)
}

func report(b *testing.B, name string, d []time.Duration) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), name+"-p50-µs")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), name+"-p99-µs")
	b.ReportMetric(0, "ns/op")
}
