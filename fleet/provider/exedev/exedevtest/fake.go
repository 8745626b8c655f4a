// Package exedevtest is a stand-in for exe.dev, as it is documented: the lobby's commands over
// SSH and HTTPS, and machines that answer SSH. It misbehaves on demand, as the service is known
// to. Each machine is an OpenSSH server on this one.
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

// Config is how the stand-in behaves throughout.
type Config struct {
	Env     map[string]string // of who logs in to machines, beside what he always has
	Shared  []string          // directories of this machine that they may read although they are hidden
	Keys    []ssh.PublicKey   // that the account has
	Email   string            // of the account, "" for ada@example.org
	Latency time.Duration     // of every command
	Boot    time.Duration     // of a machine, after it was made or restarted

	// Gateway has machines answer at one address, under users named vm+NAME. Otherwise each has
	// an address of its own.
	Gateway bool
	// TellUser has lists name the user to log in as.
	TellUser bool
	// Machines is how many the account may have, 0 for no limit.
	Machines int
	// Connects is how many connections to the lobby within 5 s it takes to be ignored, 0 for any
	// number, and Ignores how long one is then, 0 for a minute.
	Connects int
	Ignores  time.Duration

	// Nothing is how a list looks in which there is no machine.
	Nothing Nothing
}

// Nothing is how a list without any machine may look over SSH. HTTPS has it always in JSON.
type Nothing string

// The lists without a machine.
const (
	Null  Nothing = "" // an object without any
	Words Nothing = "No VMs found\n"
)

// Fault is a way to misbehave.
type Fault int

// The faults. Over SSH a status is a failed command.
const (
	Lost     Fault = iota // carried out; the connection ends without an answer
	Dropped               // the connection ends before anything was done
	Broken                // status 500, nothing was done
	Unseen                // carried out, and status 500
	Late                  // status 504, and carried out 2 s later
	Throttle              // status 429, wait a second
	Hidden                // a list without any machine's status
	Denied                // carried out, and refused
	Claimed               // not carried out, and said to be
	Lacks                 // a list without any machine
	Lags                  // a list as it was before the last machine came or went
	Stranger              // what another account would be told
	Existed               // carried out, and refused as if it was there before
	Failing               // an error, said to be a success
	Bare                  // an answer without anything in it
	Silent                // no word
)

// Fake is a running stand-in.
type Fake struct {
	URL     string        // for exedev.Options.Via; SSHConfig leads to the lobby there
	HostKey ssh.PublicKey // of the lobby

	config  Config
	t       testing.TB
	host    ssh.Signer // the lobby's
	inside  ssh.Signer // opens machines
	yard    *hoststest.Captain
	jobs    sync.WaitGroup
	over    chan struct{} // closed at the end
	shut    atomic.Bool   // machines refuse logins
	entered atomic.Int32

	mu       sync.Mutex
	keys     map[string]ssh.PublicKey // of the account, by fingerprint
	tokens   map[string][]string      // commands that each allows
	vms      map[string]*machine
	before   map[string]*machine // vms before the last one came or went
	faults   map[string][]Fault
	misdeeds map[misdeed]int
	conns    map[net.Conn]bool
	dials    []time.Time // to the lobby
	ignore   time.Time
	logins   int
	down     func()          // see Down
	made     int             // tokens
	said     []string        // every command, request line and header that came in
	opening  map[string]bool // names that are being made
	work     map[string]Work // by the command's name
}

// Start runs a stand-in until the test ends.
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

// Misbehave has the next commands of that name fail, one for each fault.
func (f *Fake) Misbehave(command string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[command] = append(f.faults[command], faults...)
}

// Forgive ends all faults that have not happened yet.
func (f *Fake) Forgive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.faults)
}

// fault takes the next one.
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

// misdeed is a fault that has happened to a command.
type misdeed struct {
	command string
	fault   Fault
}

// Misdeeds counts how often a fault has happened to commands of a name.
func (f *Fake) Misdeeds(command string, fault Fault) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.misdeeds[misdeed{command, fault}]
}

// Token makes a token of the HTTPS API that allows those commands.
func (f *Fake) Token(commands ...string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	token := fmt.Sprintf("exe1.secret%d", f.made)
	f.made++
	f.tokens[token] = commands
	return token
}

// Revoke makes a token worthless.
func (f *Fake) Revoke(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tokens, token)
}

// Hang ends all connections to the lobby and to machines.
func (f *Fake) Hang() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		c.Close()
	}
}

// Down makes exe.dev unreachable from now on.
func (f *Fake) Down() { f.down() }

// Logins counts connections to the lobby.
func (f *Fake) Logins() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logins
}

// Said returns what came in: commands, and the first lines of requests.
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

// Work is how many commands of a name the lobby has carried out, and how long that took it altogether: its latency and
// what it did for them. A machine is made before "new" ends.
type Work struct {
	Commands int
	Took     time.Duration
}

// Sub is what was done since before.
func (w Work) Sub(before Work) Work {
	return Work{w.Commands - before.Commands, w.Took - before.Took}
}

// Each is what one command took on average.
func (w Work) Each() time.Duration {
	if w.Commands == 0 {
		return 0
	}
	return w.Took / time.Duration(w.Commands)
}

// Work is what the lobby has done so far.
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

// pause waits as long as something takes, or until the test is over.
func (f *Fake) pause(d time.Duration) {
	select {
	case <-eventually.Later(d):
	case <-f.over:
	}
}
