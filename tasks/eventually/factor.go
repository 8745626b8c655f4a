package eventually

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// FactorVar names the factor that a run of all tests has measured.
const FactorVar = "OCAPTAIN_TEST_FACTOR"

// quiet is what Measure takes on a machine with nothing else to do, whose process starts cost 3 ms.
const quiet = 100 * time.Millisecond

// Factor is by how much this machine is slower than a quiet machine, and never less than 1.
var Factor = sync.OnceValue(func() float64 {
	if given, err := strconv.ParseFloat(os.Getenv(FactorVar), 64); err == nil {
		return max(1, given)
	}
	return Measure()
})

// Measure takes the time of what tests do most: twenty starts of a process, ten files brought to the disk, and what an SSH handshake
// computes.
func Measure() float64 {
	begun := time.Now()
	for range 20 {
		_ = exec.Command("true").Run()
	}
	if dir, err := os.MkdirTemp("", "ocaptain-factor-"); err == nil {
		for i := range 10 {
			writeThrough(filepath.Join(dir, strconv.Itoa(i)))
		}
		_ = os.RemoveAll(dir)
	}
	handshake()
	return max(1, float64(time.Since(begun))/float64(quiet))
}

func writeThrough(file string) {
	f, err := os.Create(file)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(make([]byte, 4096))
	_ = f.Sync()
}

// handshake agrees on a secret, signs it and checks the signature.
func handshake() {
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	a, _ := ecdh.X25519().GenerateKey(rand.Reader)
	b, _ := ecdh.X25519().GenerateKey(rand.Reader)
	secret, _ := a.ECDH(b.PublicKey())
	ed25519.Verify(public, secret, ed25519.Sign(private, secret))
}
