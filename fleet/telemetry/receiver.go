package telemetry

import (
	"bytes"
	"compress/gzip"
	"crypto/subtle"
	"errors"
	"io"
	"mime"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"golang.org/x/time/rate"
)

// Limits for one source. Data beyond them is refused with a request to retry, which the sender obeys.
const (
	mostAtOnce    = 2        // requests that are read and decoded at the same time
	mostPerSecond = 8 << 20  // uncompressed bytes, on average
	mostBurst     = 64 << 20 // uncompressed bytes, after a silence
)

// decoding has a slot for each request that this process decodes at the same time.
var decoding = make(chan struct{}, 2*runtime.GOMAXPROCS(0))

// Receiver receives the exports of one Source, over HTTP and gRPC.
type Receiver struct {
	add   func(export) error
	key   string // the key that each request needs, "" for none
	turns chan struct{}
	limit *rate.Limiter
}

// NewReceiver returns a handler for the connections of a source whose data goes into a store.
//
// It answers 429 or 503 to requests that the sender has to repeat, and 400 to requests that can never succeed, as the OTLP
// specification demands.
func NewReceiver(store *Store, source usage.Source) *Receiver {
	return newReceiver(func(e export) error { return store.add(source, e) }, "")
}

// KeyHeader is the header with the key of a ship's run, since programs of other ships may share its loopback.
const KeyHeader = "ocaptain-key"

// NewSpoolReceiver returns a handler for the connections of a ship's agent, which knows the key. Its data is stored on the ship until
// helm has it. Contents are removed unless contents is set.
func NewSpoolReceiver(spool *Spool, key string, contents bool) *Receiver {
	return newReceiver(func(e export) error {
		if !contents {
			e.dropContents()
		}
		return spool.add(e)
	}, key)
}

func newReceiver(add func(export) error, key string) *Receiver {
	return &Receiver{add, key, make(chan struct{}, mostAtOnce), rate.NewLimiter(mostPerSecond, mostBurst)}
}

// refusal is an error for the sender.
type refusal struct {
	status int // HTTP status
	code   int // gRPC code
	err    error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// gRPC codes, https://grpc.io/docs/guides/status-codes/.
const (
	codeInvalid       = 3
	codeUnimplemented = 12
	codeUnavailable   = 14
	codeUnknownSender = 16
)

func invalid(err error) *refusal { return &refusal{http.StatusBadRequest, codeInvalid, err} }

// ServeHTTP handles a request over HTTP or gRPC.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if kind == "application/grpc" || kind == "application/grpc+proto" {
		r.serveGRPC(w, req)
		return
	}
	json := kind == "application/json"
	err := r.serveHTTP(w, req, kind)
	w.Header().Set("Content-Type", kind)
	switch {
	case err != nil:
		writeStatus(w, err, json)
	case json:
		_, _ = io.WriteString(w, "{}")
	default: // an empty message has no bytes
		w.WriteHeader(http.StatusOK)
	}
}

func (r *Receiver) serveHTTP(w http.ResponseWriter, req *http.Request, kind string) *refusal {
	signal := signalOf(func(s Signal) string { return signals[s].path }, req.URL.Path)
	switch {
	case signal < 0:
		return &refusal{http.StatusNotFound, codeUnimplemented, errors.New("there is only /v1/metrics, /v1/logs and /v1/traces")}
	case req.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return &refusal{http.StatusMethodNotAllowed, codeUnimplemented, errors.New("exports are sent by POST")}
	case req.Header.Get("Origin") != "": // a page in a browser, of any website
		return &refusal{http.StatusForbidden, codeInvalid, errors.New("pages in browsers cannot export")}
	case kind != "application/json" && kind != "application/x-protobuf":
		return &refusal{http.StatusUnsupportedMediaType, codeInvalid, errors.New("the content type must be application/x-protobuf or application/json")}
	}
	return r.take(req, func() (export, error) {
		body := buffers.Get().(*bytes.Buffer)
		defer putBuffer(body)
		if err := uncompress(body, req.Body, req.Header.Get("Content-Encoding")); err != nil {
			return export{}, err
		}
		return r.decode(signal, body.Bytes(), kind == "application/json")
	})
}

// take waits for a slot, reads an export and stores it.
func (r *Receiver) take(req *http.Request, read func() (export, error)) *refusal {
	if r.key != "" && subtle.ConstantTimeCompare([]byte(req.Header.Get(KeyHeader)), []byte(r.key)) == 0 {
		return &refusal{http.StatusUnauthorized, codeUnknownSender, errors.New("the header " + KeyHeader + " must have the key of this ship: send what OTEL_EXPORTER_OTLP_HEADERS says")}
	}
	if r.limit.Tokens() < 0 {
		return &refusal{http.StatusTooManyRequests, codeUnavailable, errors.New("too much came in a short time; send it again later")}
	}
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-req.Context().Done():
		return &refusal{http.StatusServiceUnavailable, codeUnavailable, req.Context().Err()}
	}
	e, err := read()
	var no *refusal
	switch {
	case errors.As(err, &no):
		return no
	case err != nil:
		return invalid(err)
	case e.empty():
		return nil
	}
	switch err := r.add(e); {
	case errors.As(err, &no):
		return no
	case err != nil: // for example, the disk is full
		return &refusal{http.StatusServiceUnavailable, codeUnavailable, errors.New("it could not be stored")}
	}
	return nil
}

// decode decodes a body, if it is within the limits.
func (r *Receiver) decode(signal Signal, body []byte, json bool) (export, error) {
	r.limit.ReserveN(time.Now(), min(len(body), r.limit.Burst()))
	decoding <- struct{}{}
	defer func() { <-decoding }()
	scan := scanProto
	if json {
		scan = scanJSON
	}
	if err := scan(body); err != nil {
		return export{}, err
	}
	return decode(signal, body, json)
}

// signalOf returns the signal with this name, -1 for none.
func signalOf(name func(Signal) string, want string) Signal {
	for s := range Signal(len(signals)) {
		if name(s) == want {
			return s
		}
	}
	return -1
}

// buffers hold bodies until they are decoded. Decoding copies what it keeps.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the size of the largest buffer that is reused, in bytes.
const maxPooled = 64 << 10

func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		b.Reset()
		buffers.Put(b)
	}
}

var unzippers sync.Pool // of *gzip.Reader

// uncompress reads a body that may be compressed.
func uncompress(into *bytes.Buffer, body io.Reader, encoding string) error {
	switch strings.ToLower(encoding) {
	case "", "identity":
		return readBody(into, body)
	case "gzip":
	default:
		return &refusal{http.StatusUnsupportedMediaType, codeUnimplemented, errors.New("the body may be compressed with gzip alone")}
	}
	z, _ := unzippers.Get().(*gzip.Reader)
	if z == nil {
		z = new(gzip.Reader)
	}
	defer unzippers.Put(z)
	if err := z.Reset(body); err != nil {
		return err
	}
	return readBody(into, z)
}
