// Package exedevtest is a stand-in for exe.dev, according to its documentation: the lobby's commands over SSH and
// HTTPS, and machines with SSH servers. On demand it misbehaves as the service is known to. Each machine is an
// OpenSSH server on this machine.
package exedevtest

import (
	"crypto/ed25519"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// Config configures a stand-in.
type Config struct {
	Env     map[string]string // additional environment of logins to machines
	Shared  []string          // directories of this machine that logins may read although they are hidden
	Keys    []ssh.PublicKey   // the keys of the account
	Email   string            // e-mail address of the account, "" for ada@example.org
	Latency time.Duration     // duration of every command
	Boot    time.Duration     // time until a machine runs after it was made or restarted

	// Gateway makes all machines answer at one address, to users named vm+NAME. Without it each machine has its own
	// address.
	Gateway bool
	// TellUser makes lists name the user to log in as.
	TellUser bool
	// Machines is how many machines the account may have, 0 for no limit.
	Machines int
	// Connects is how many connections to the lobby within 5 s make it ignore the client, 0 for never; Ignores is for how
	// long, 0 for a minute.
	Connects int
	Ignores  time.Duration

	// Nothing is the form of an empty list.
	Nothing Nothing
}

// Nothing is a form of an empty list over SSH. Over HTTPS it is always JSON.
type Nothing string

// The forms of an empty list.
const (
	Null  Nothing = "" // a JSON object without the list
	Words Nothing = "No VMs found\n"
)

// Fault is a way to misbehave.
type Fault int

// The faults. A status is sent over HTTPS; over SSH it becomes a failed command.
const (
	Lost     Fault = iota // executed; the connection ends without an answer
	Dropped               // not executed; the connection ends
	Broken                // not executed; status 500
	Unseen                // executed; status 500
	Late                  // status 504; executed 2 s later
	Throttle              // not executed; status 429, to retry after a second
	Hidden                // a list without the status of machines
	Denied                // executed; refused in the answer
	Claimed               // not executed; the answer says success
	Lacks                 // a list without any machine
	Lags                  // a list from before the last machine came or went
	Stranger              // the answer that another account would get
	Existed               // executed; refused in the answer as if it existed before
	Failing               // an error with a status of success
	Bare                  // an empty answer
	Silent                // no output
)

// Fake is a running stand-in.
type Fake struct {
	Faults
	Record
	Tokens
	Gate

	URL     string        // value of exedev.Options.Via; SSHConfig also uses it
	HostKey ssh.PublicKey // host key of the lobby

	config Config
	t      testing.TB
	host   ssh.Signer // key of the lobby
	inside ssh.Signer // key that opens machines
	yard   *hoststest.Captain
	jobs   sync.WaitGroup
	over   chan struct{} // closed at the end of the test

	mu      sync.Mutex
	keys    map[string]ssh.PublicKey // keys of the account, by fingerprint
	vms     map[string]*machine
	before  map[string]*machine // vms before the last machine came or went
	conns   map[net.Conn]bool
	dials   []time.Time // times of the connections to the lobby
	ignore  time.Time
	logins  int
	down    func()          // see method Down
	opening map[string]bool // names of machines that are being made
}

// Start starts a stand-in, which runs until the test ends.
func Start(t testing.TB, c Config) *Fake {
	t.Helper()
	slottest.Take(t, 1)
	f := &Fake{
		Faults: Faults{next: map[string][]Fault{}, misdeeds: map[misdeed]int{}},
		Record: Record{work: map[string]Work{}}, Tokens: Tokens{of: map[string][]string{}},
		config: c, t: t, host: newSigner(t), over: make(chan struct{}),
		keys: map[string]ssh.PublicKey{}, vms: map[string]*machine{},
		conns: map[net.Conn]bool{}, opening: map[string]bool{},
	}
	f.HostKey = f.host.PublicKey()
	for _, k := range c.Keys {
		f.keys[ssh.FingerprintSHA256(k)] = k
	}
	dir := t.TempDir()
	f.yard = hoststest.NewCaptain(t, filepath.Join(dir, "yard"))
	f.yard.Root, f.yard.Walled, f.yard.Shared, f.yard.Env = filepath.Join(dir, "exe.dev"), true, c.Shared, c.Env
	raw, err := os.ReadFile(f.yard.Key)
	if err == nil {
		f.inside, err = ssh.ParsePrivateKey(raw)
	}
	if err == nil {
		err = os.Mkdir(f.yard.Root, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.URL = "http://" + listener.Addr().String()
	server := &http.Server{Handler: f, ReadHeaderTimeout: 10 * time.Second}
	sorted := f.sort(listener)
	f.jobs.Go(func() { _ = server.Serve(sorted) })
	f.down = func() {
		server.Close()
		f.Hang()
	}
	t.Cleanup(func() {
		close(f.over)
		f.down()
		f.jobs.Wait()
		f.destroyAll()
	})
	return f
}

func newSigner(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// Hang closes all connections to the lobby and to machines.
func (f *Fake) Hang() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		c.Close()
	}
}

// Down makes exe.dev unreachable for good.
func (f *Fake) Down() { f.down() }

// Logins returns how many connections to the lobby were made.
func (f *Fake) Logins() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logins
}

// pause waits for d, or until the test has ended.
func (f *Fake) pause(d time.Duration) {
	select {
	case <-eventually.Later(d):
	case <-f.over:
	}
}
