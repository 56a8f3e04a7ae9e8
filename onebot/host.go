package onebot

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A refusal is the reason why a Server or Webhook refuses a request.
type refusal struct {
	status int // of HTTP
	reason string
}

// refuse logs a refusal and sends its status, not its reason.
func (e *engine) refuse(w http.ResponseWriter, r *http.Request, what string, no *refusal) {
	e.log.Warn("onebot: "+what+" refused", "status", no.status, "reason", no.reason, "remote", r.RemoteAddr)
	http.Error(w, http.StatusText(no.status), no.status)
}

// checkHost refuses a request over loopback, to a server without a token, under the name of another host. It comes from
// a web page in a browser on this machine whose name was made to resolve to loopback (DNS rebinding): the browser takes
// it for a request to the page's own server.
func (e *engine) checkHost(r *http.Request) *refusal {
	if e.opts.Token != "" {
		return nil
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() || isLoopback(hostname(r.Host)) {
		return nil
	}
	for _, known := range e.opts.Hosts {
		if strings.EqualFold(hostname(known), hostname(r.Host)) {
			return nil
		}
	}
	return &refusal{http.StatusForbidden, "the Host header is neither loopback nor in Options.Hosts, and there is no token"}
}

// hostname removes the port, the brackets of an IPv6 address and the final dot.
func hostname(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.TrimSuffix(host, ".")
}

// isLoopback reports whether a host is this machine's loopback. Browsers resolve names under localhost to loopback
// only.
func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
