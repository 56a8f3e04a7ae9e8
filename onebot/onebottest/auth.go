package onebottest

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// token gives the token that a bot brought, and whether it brought any.
func (like Implementation) token(r *http.Request) (token string, ok bool) {
	header, query := r.Header.Get("Authorization"), r.URL.Query().Get("access_token")
	switch like {
	case LikeNapCat: // the query goes before the header
		if query != "" {
			return query, true
		}
		token = afterBearer(header)
	case LikeLLBot:
		token = query
		if header != "" {
			token = afterBearer(header)
		}
	case LikeLagrange: // knows no other scheme
		token = query
		if header != "" {
			token, _ = strings.CutPrefix(header, "Bearer ")
			if token == header {
				return "", true
			}
		}
	case LikeGoCQHTTP: // any scheme, or none
		token = query
		if header != "" {
			_, after, found := strings.Cut(header, " ")
			if token = header; found {
				token = after
			}
		}
	}
	return token, token != ""
}

// afterBearer is what JavaScript's split("Bearer ").pop() gives: the whole of a header of another scheme.
func afterBearer(header string) string {
	return header[strings.LastIndex("Bearer "+header, "Bearer "):]
}

// admits says whether a bot may come in, and else by which HTTP status it is told.
func (s *Server) admits(r *http.Request, like Implementation) (status int, ok bool) {
	if s.opts.Token == "" {
		return 0, true
	}
	given, brought := like.token(r)
	if subtle.ConstantTimeCompare([]byte(given), []byte(s.opts.Token)) == 1 {
		return 0, true
	}
	if brought {
		return http.StatusForbidden, false
	}
	return http.StatusUnauthorized, false
}
