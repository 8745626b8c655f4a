package telemetry

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage/usagetest"
	"ocaptain/tasks/eventually"
)

// localVar is the environment variable with the directory for a process of the tests that receives data.
const localVar = "OCAPTAIN_TEST_TELEMETRY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(localVar); dir != "" {
		if err := RunLocal(context.Background(), dir, 0, []string{"127.0.0.1:0"}); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// TestKilledProcess kills the receiving process again and again with SIGKILL while data is sent. Data without an answer is sent
// again. Everything counts once.
func TestKilledProcess(t *testing.T) {
	dir := t.TempDir()
	sent := 0 // number of exports that were answered
	for round := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), localVar+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // the error says that it was killed
		}()
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		var p *Process
		eventually.Holds(t, "it receives", func() bool {
			var err error
			p, err = FindProcess(dir)
			return err == nil && p != nil && p.PID == cmd.Process.Pid
		})
		kill := time.AfterFunc(time.Duration(20+10*round)*time.Millisecond, p.Kill)
		for url := "http://" + p.Addresses[0] + "/v1/metrics"; ; sent++ {
			line, err := metricsOf(usagetest.Sample{Start: sent, At: sent + 1, Value: 1}).line()
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.Post(url, "application/json", bytes.NewReader(line)) //nolint:noctx // it is killed
			if err != nil {
				break
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatal(resp.Status)
			}
		}
		kill.Stop()
		eventually.Receives(t, "its end", ended)
		// An export may be stored although its answer was lost.
		if got := int(totalOf(t, dir)); got != sent && got != sent+1 {
			t.Fatalf("it sums %d, and %d were answered", got, sent)
		}
	}
	if p, err := FindProcess(dir); p != nil || err != nil {
		t.Errorf("the process that was killed is %+v, %v", p, err)
	}
	t.Logf("%d exports were answered", sent)
}
