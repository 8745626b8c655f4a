package join_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/tailnet/tailnettest"
	"ocaptain/tasks/eventually"
)

// The test binary is also the part of ocaptain on a ship that joins a tailnet.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "aboard" && os.Args[2] == "standing-sshd" {
		home, _ := os.UserHomeDir()
		port, _ := strconv.Atoi(os.Args[3])
		if err := sshd.Stand(context.Background(), home, port); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// ship makes a home on this machine, and a PATH without Tailscale.
func ship(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("/tmp", "ship-")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	tailnettest.Setenv(t)
	t.Cleanup(func() { end(t, home); _ = os.RemoveAll(home) })
	return home
}

// end kills the programs of a ship, as a restart of its machine would.
func end(t *testing.T, home string) {
	t.Helper()
	eventually.Holds(t, "no process is left", func() bool {
		left := 0
		all, _ := filepath.Glob("/proc/[0-9]*")
		for _, p := range all {
			pid, _ := strconv.Atoi(filepath.Base(p))
			cmdline, _ := os.ReadFile(p + "/cmdline")
			environ, _ := os.ReadFile(p + "/environ")
			words := strings.Split(string(cmdline), "\x00")
			if pid == os.Getpid() || len(words) < 3 || !strings.Contains(string(environ), "HOME="+home+"\x00") {
				continue
			}
			left++
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return left == 0
	})
}

func signer(t *testing.T) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// obey executes an order as if the hub had sent it.
func obey(t *testing.T, home string, o join.Order) (join.Answer, error) {
	t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var a join.Answer
	ctx := eventually.Context(t)
	if err := join.Serve(ctx, home, bytes.NewReader(raw), &out); err != nil {
		return a, err
	}
	return a, json.Unmarshal(out.Bytes(), &a)
}

// TestJoin joins a tailnet with a machine that has no Tailscale, and logs in through the tailnet. The key is found
// nowhere.
func TestJoin(t *testing.T) {
	const key = "tskey-auth-lab"
	lab, shelf, mine := tailnettest.Start(t, key), tailnettest.NewShelf(t), signer(t)
	captain := lab.Join(t, "laptop")
	home := ship(t)
	o := order(lab, shelf, mine)
	if a, err := obey(t, home, o); err != nil || !a.NeedsKey {
		t.Fatalf("without a key: %+v, %v", a, err)
	}
	o.Key = "tskey-auth-wrong"
	if _, err := obey(t, home, o); err == nil || !strings.Contains(err.Error(), "authkey") || strings.Contains(err.Error(), o.Key) {
		t.Fatalf("with a wrong key: %v", err)
	}
	o.Key = key
	began, watched := time.Now(), watch(t, home, key)
	a, err := obey(t, home, o)
	if err != nil || a.Node == "" || a.NeedsKey {
		t.Fatalf("%+v, %v", a, err)
	}
	t.Logf("joined in %s", time.Since(began).Round(time.Millisecond))
	watched()
	nowhere(t, home, key)
	login(t, &tailnet.Net{Socket: captain.Daemon.Socket}, a, mine)
	o.Key = ""
	if again, err := obey(t, home, o); err != nil || again != a {
		t.Errorf("again: %+v, %v, and was %+v", again, err, a)
	}
}

func order(lab *tailnettest.Tailnet, shelf *tailnettest.Shelf, mine ssh.Signer) join.Order {
	return join.Order{
		Host: "voyage-1-ship0", Tag: tailnettest.Tag, Login: lab.URL, Tailscale: join.Archive(shelf.URL, runtime.GOARCH),
		Authorized: string(ssh.MarshalAuthorizedKey(mine.PublicKey())),
	}
}

// login logs in through the tailnet.
func login(t *testing.T, way *tailnet.Net, a join.Answer, mine ssh.Signer) {
	t.Helper()
	conn, err := way.Dial(t.Context(), a.IP, a.Port)
	// An older node takes fifteen seconds to notice that its peer has restarted, and WireGuard takes a minute and a half
	// to begin a new handshake.
	for ctx := eventually.Context(t); err != nil && ctx.Err() == nil; {
		conn, err = way.Dial(t.Context(), a.IP, a.Port)
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually.Cut(t, conn)
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(a.HostKey))
	if err != nil {
		t.Fatal(err)
	}
	c, channels, requests, err := ssh.NewClientConn(conn, "", &ssh.ClientConfig{
		User: "ship", Auth: []ssh.AuthMethod{ssh.PublicKeys(mine)}, HostKeyCallback: ssh.FixedHostKey(pinned),
	})
	if err != nil {
		t.Fatal(err)
	}
	client := ssh.NewClient(c, channels, requests)
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out, err := session.CombinedOutput("echo $HOME")
	if err != nil || strings.TrimSpace(string(out)) != os.Getenv("HOME") {
		t.Errorf("its home is %q, %v", out, err)
	}
}

// nowhere checks that a secret is neither in the ship's files nor in what its processes show.
func nowhere(t *testing.T, home, secret string) {
	t.Helper()
	_ = filepath.WalkDir(home, func(path string, e os.DirEntry, _ error) error {
		if e != nil && e.Type().IsRegular() {
			if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(secret)) {
				t.Errorf("the key is in %s", path)
			}
		}
		return nil
	})
	for _, shows := range processes(home) {
		if strings.Contains(shows, secret) {
			t.Errorf("the key is shown by a process: %q", shows)
		}
	}
}

// processes returns the command lines and environments of the ship's processes.
func processes(home string) (all []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range dirs {
		argv, _ := os.ReadFile(p + "/cmdline")
		environ, _ := os.ReadFile(p + "/environ")
		if shows := string(argv) + "\x00" + string(environ); strings.Contains(shows, "\x00HOME="+home+"\x00") {
			all = append(all, shows)
		}
	}
	return all
}

// watch checks, while a ship joins, what its processes show, and the file with its key. The returned function ends that, and
// fails unless the ship's "tailscale up" was seen.
func watch(t *testing.T, home, secret string) (end func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	ups, files := 0, 0
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			for _, shows := range processes(home) {
				if strings.Contains(shows, "\x00up\x00") {
					ups++
				}
				if strings.Contains(shows, secret) {
					t.Errorf("the key is shown by a process: %q", shows)
				}
			}
			if info, err := os.Stat(filepath.Join(home, ".ocaptain/tailnet/key")); err == nil {
				if files++; info.Mode().Perm() != 0o600 {
					t.Errorf("the file with the key is open to others: %s", info.Mode())
				}
			}
			select {
			case <-tick.C:
			case <-over:
				return
			}
		}
	}()
	return func() {
		close(over)
		if <-ended; ups == 0 || files == 0 {
			t.Errorf("looked %d times at tailscale up and %d times at the key's file", ups, files)
		}
	}
}

// TestFetch checks the errors for an archive that has another digest than the hub knows, or does not exist.
func TestFetch(t *testing.T) {
	shelf, home := tailnettest.NewShelf(t), ship(t)
	place, _, _ := strings.Cut(shelf.URL, "#")
	for place, want := range map[string]string{
		place:              "is not what ocaptain knows", // the archive has a build for tests
		place + "/nowhere": "404",
		place + "#sha256-": "its sum",
	} {
		o := join.Order{Host: "h", Tag: tailnettest.Tag, Tailscale: join.Archive(place, runtime.GOARCH), Authorized: string(ssh.MarshalAuthorizedKey(signer(t).PublicKey()))}
		if _, err := obey(t, home, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".ocaptain/tailnet/programs/[^.]*")); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}
