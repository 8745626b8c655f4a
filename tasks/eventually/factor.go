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

// FactorVar names the environment variable that holds the factor measured by .ci/test for all test binaries.
const FactorVar = "OCAPTAIN_TEST_FACTOR"

// quiet is the time Measure takes on an idle machine where starting a process costs 3 ms.
const quiet = 100 * time.Millisecond

// Factor returns how many times slower this machine is than a quiet machine, at least 1.
var Factor = sync.OnceValue(func() float64 {
	if given, err := strconv.ParseFloat(os.Getenv(FactorVar), 64); err == nil {
		return max(1, given)
	}
	return Measure()
})

// Measure returns the time for typical work of tests: twenty starts of a process, ten files synced to the disk, and the computation
// of SSH handshakes.
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

// handshake agrees on a secret, signs it and verifies the signature.
func handshake() {
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	a, _ := ecdh.X25519().GenerateKey(rand.Reader)
	b, _ := ecdh.X25519().GenerateKey(rand.Reader)
	secret, _ := a.ECDH(b.PublicKey())
	ed25519.Verify(public, secret, ed25519.Sign(private, secret))
}
