package onebottest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// The HTTP API of SnowLuma.

// snowLumaRefusal is a refusal with a status other than 200.
func (s *Server) snowLumaRefusal(status int, f *failure) *reply {
	return &reply{status, string(encode(s.answer(request{http: true}, nil, f)))}
}

// snowLumaRoot is the response to a request without an action.
func (s *Server) snowLumaRoot(r *http.Request) *reply {
	if r.Method == http.MethodGet {
		return &reply{http.StatusOK, `{"status":"ok","retcode":0,"data":{"online":true}}`}
	}
	return s.snowLumaRefusal(http.StatusBadRequest, refused(1400, "bad request: missing action"))
}

// readSnowLuma reads the parameters. The body may have them inside params, and the action if the path has none. A body
// that is too large cuts the connection.
func (s *Server) readSnowLuma(req *request, r *http.Request, kind string, body []byte) *reply {
	switch {
	case len(body) > snowLumaBody:
		panic(http.ErrAbortHandler) // net/http's way to drop the connection
	case r.Method == http.MethodGet:
		return req.values(LikeSnowLuma, r.URL.RawQuery)
	case r.Method != http.MethodPost:
		return s.snowLumaRefusal(http.StatusMethodNotAllowed, refused(1400, "method not allowed"))
	case len(bytes.TrimSpace(body)) == 0:
		return nil
	case kind == "application/x-www-form-urlencoded", kind == "" && !json.Valid(body):
		_ = req.values(LikeSnowLuma, string(body))
	case kind != "" && kind != "application/json":
		return s.snowLumaRefusal(http.StatusBadRequest, refused(1400, "bad request: unsupported content-type: %s", kind))
	case !json.Valid(body):
		return s.snowLumaRefusal(http.StatusBadRequest, refused(1400, "bad request: invalid json"))
	default:
		req.Params = body
	}
	var all params
	if json.Unmarshal(req.Params, &all) != nil || all == nil {
		req.Params = nil // not an object
		return nil
	}
	if req.Action == "" {
		req.Action = all.text("action")
	}
	req.Echo = all["echo"]
	if inner := params(nil); json.Unmarshal(all["params"], &inner) == nil && inner != nil {
		req.Params = all["params"]
	}
	return nil
}
