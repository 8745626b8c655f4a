package script

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// slowly is a writer that blocks at its first write until the test lets it go on.
type slowly struct {
	bytes.Buffer
	begun, may chan struct{}
}

func (s *slowly) Write(p []byte) (int, error) {
	if s.Len() == 0 {
		close(s.begun)
		<-s.may
	}
	return s.Buffer.Write(p)
}

// TestSlowReader ends a command whose output is written slowly while another process holds the output open. All that the command printed
// is read.
func TestSlowReader(t *testing.T) {
	printed, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer printed.Close()
	defer pipe.Close()
	all := bytes.Repeat([]byte("line\n"), pipeSize/5)
	if _, err := pipe.Write(all); err != nil {
		t.Fatal(err)
	}
	to, ended, read := &slowly{begun: make(chan struct{}), may: make(chan struct{})}, make(chan struct{}), make(chan struct{})
	go func() {
		readOutput(to, printed, ended)
		close(read)
	}()
	<-to.begun
	close(ended)
	if err := printed.SetReadDeadline(time.Now()); err != nil { //nolint:forbidigo // that time is over is what the test is about
		t.Fatal(err)
	}
	close(to.may)
	if <-read; !bytes.Equal(to.Bytes(), all) {
		t.Errorf("%d bytes of %d were read", to.Len(), len(all))
	}
}
