package telemetry

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// serveGRPC answers a gRPC call. All calls of OTLP have one message in each direction, so net/http's HTTP/2 is enough:
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md.
func (r *Receiver) serveGRPC(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Accept-Encoding", "gzip")
	w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
	no := r.callGRPC(req)
	if no != nil {
		w.WriteHeader(http.StatusOK)
		w.Header().Set("Grpc-Status", strconv.Itoa(no.code))
		w.Header().Set("Grpc-Message", url.PathEscape(no.Error()))
		return
	}
	_, _ = w.Write(make([]byte, 5)) // an empty message
	w.Header().Set("Grpc-Status", "0")
}

func (r *Receiver) callGRPC(req *http.Request) *refusal {
	signal := signalOf(func(s Signal) string { return signals[s].method }, req.URL.Path)
	if signal < 0 || req.Method != http.MethodPost {
		return &refusal{http.StatusNotFound, codeUnimplemented, errors.New("there are only the Export methods of metrics, logs and traces")}
	}
	return r.take(req, func() (export, error) {
		var head [5]byte // a flag for compression, and the length
		if _, err := io.ReadFull(req.Body, head[:]); err != nil {
			return export{}, err
		}
		encoding := ""
		switch head[0] {
		case 0:
		case 1:
			encoding = req.Header.Get("Grpc-Encoding")
		default:
			return export{}, errors.New("the first byte of a message must be 0 or 1")
		}
		length := binary.BigEndian.Uint32(head[1:])
		if length > mostBody {
			return export{}, errLarge
		}
		body := buffers.Get().(*bytes.Buffer)
		defer putBuffer(body)
		if err := uncompress(body, io.LimitReader(req.Body, int64(length)), encoding); err != nil {
			return export{}, err
		}
		if encoding == "" && body.Len() != int(length) {
			return export{}, io.ErrUnexpectedEOF
		}
		return r.decode(signal, body.Bytes(), false)
	})
}

// writeStatus sends an error over HTTP, as a message google.rpc.Status: a code and a text.
func writeStatus(w http.ResponseWriter, no *refusal, asJSON bool) {
	if no.status == http.StatusTooManyRequests || no.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	var body []byte
	if asJSON {
		body, _ = json.Marshal(map[string]any{"code": no.code, "message": no.Error()}) // cannot fail for a number and a text
	} else {
		text := no.Error()
		body = append(body, 1<<3, byte(no.code), 2<<3|2)
		body = append(binary.AppendUvarint(body, uint64(len(text))), text...)
	}
	w.WriteHeader(no.status)
	_, _ = w.Write(body)
}
