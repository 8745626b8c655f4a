// Package exedevtest is a stand-in for exe.dev, according to its documentation: the lobby's commands over SSH and
// HTTPS, and machines with SSH servers. On demand it misbehaves as the service is known to. Each machine is an
// OpenSSH server on this machine.
package exedevtest

import (
	"crypto/ed25519"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
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
	URL     string        // value of exedev.Options.Via; SSHConfig also uses it
	HostKey ssh.PublicKey // host key of the lobby

	config  Config
	t       testing.TB
	host    ssh.Signer // key of the lobby
	inside  ssh.Signer // key that opens machines
	yard    *hoststest.Captain
	jobs    sync.WaitGroup
	over    chan struct{} // closed at the end of the test
	shut    atomic.Bool   // machines refuse logins
	entered atomic.Int32

	mu       sync.Mutex
	keys     map[string]ssh.PublicKey // keys of the account, by fingerprint
	tokens   map[string][]string      // by token, the commands that it allows
	vms      map[string]*machine
	before   map[string]*machine // vms before the last machine came or went
	faults   map[string][]Fault
	misdeeds map[misdeed]int
	conns    map[net.Conn]bool
	dials    []time.Time // times of the connections to the lobby
	ignore   time.Time
	logins   int
	down     func()          // see method Down
	made     int             // number of tokens made
	said     []string        // every command, request line and header received
	opening  map[string]bool // names of machines that are being made
	work     map[string]Work // by name of the command
}

// Start starts a stand-in, which runs until the test ends.
func Start(t testing.TB, c Config) *Fake {
	t.Helper()
	slottest.Take(t, 1)
	f := &Fake{
		config: c, t: t, host: newSigner(t), over: make(chan struct{}),
		keys: map[string]ssh.PublicKey{}, tokens: map[string][]string{}, vms: map[string]*machine{},
		faults: map[string][]Fault{}, misdeeds: map[misdeed]int{}, conns: map[net.Conn]bool{}, opening: map[string]bool{},
		work: map[string]Work{},
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

// Misbehave makes the next commands of that name fail, one for each fault.
func (f *Fake) Misbehave(command string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[command] = append(f.faults[command], faults...)
}

// Forgive cancels all faults that have not occurred yet.
func (f *Fake) Forgive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.faults)
}

// fault returns the next fault of a command and removes it.
func (f *Fake) fault(command string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.faults[command]
	if len(all) == 0 {
		return 0, false
	}
	f.faults[command] = all[1:]
	f.misdeeds[misdeed{command, all[0]}]++
	return all[0], true
}

// misdeed is a fault that has occurred in a command.
type misdeed struct {
	command string
	fault   Fault
}

// Misdeeds returns how often a fault has occurred in commands of a name.
func (f *Fake) Misdeeds(command string, fault Fault) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.misdeeds[misdeed{command, fault}]
}

// Token makes a token for the HTTPS API that allows these commands.
func (f *Fake) Token(commands ...string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	token := fmt.Sprintf("exe1.secret%d", f.made)
	f.made++
	f.tokens[token] = commands
	return token
}

// Revoke makes a token invalid.
func (f *Fake) Revoke(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tokens, token)
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

// Said returns what was received: commands, and the first lines of requests.
func (f *Fake) Said() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.said...)
}

func (f *Fake) heard(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, line)
}

// Work says how many commands of a name the lobby has executed, and how long that took in all, including latency. A
// machine is made before "new" ends.
type Work struct {
	Commands int
	Took     time.Duration
}

// Sub returns w minus before.
func (w Work) Sub(before Work) Work {
	return Work{w.Commands - before.Commands, w.Took - before.Took}
}

// Each returns the average duration of a command.
func (w Work) Each() time.Duration {
	if w.Commands == 0 {
		return 0
	}
	return w.Took / time.Duration(w.Commands)
}

// Work returns the work so far on commands of a name.
func (f *Fake) Work(command string) Work {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.work[command]
}

func (f *Fake) worked(command string, d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.work[command]
	f.work[command] = Work{w.Commands + 1, w.Took + d}
}

// pause waits for d, or until the test has ended.
func (f *Fake) pause(d time.Duration) {
	select {
	case <-eventually.Later(d):
	case <-f.over:
	}
}
