//! Who asks: a browser that was given the token once, or a program that has it.

use askama::Template;
use axum::extract::Request;
use axum::response::{Html, IntoResponse as _, Response};
use hyper::header::{AUTHORIZATION, COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use hyper::{HeaderMap, Method, StatusCode};

use super::keys::is_same;
use super::{Keys, only};
use crate::error::WebError;
use skein_format::time::Time;

/// How a request got in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// By the cookie of a browser, which goes along with what other pages make it send.
    Cookie,
    /// By the token itself, which only a program sends that means to.
    Bearer,
}

/// A year, in seconds.
const KEPT: u32 = 31_536_000;

/// Opens the page once.
pub(crate) const PASS: &str = "pass";

/// Says that a page was loaded again already.
const AGAIN: &str = "again";

/// Finds out how a request gets in; the refusal is an answer of its own.
pub(super) fn check(keys: &Keys, now: Time, request: &Request) -> Result<Entry, Box<Response>> {
    let headers = request.headers();
    if headers.contains_key(AUTHORIZATION) {
        return match only(headers, "authorization").and_then(|text| text.strip_prefix("Bearer ")) {
            Some(token) if is_same(token.trim(), &keys.token) => Ok(Entry::Bearer),
            _ => refuse("the token is not the one of this workspace"),
        };
    }
    let is_page = is_page(request);
    let known = has_cookie(keys, headers);
    if let Some(token) = parameter(request, "token").filter(|_| is_page) {
        return match (is_same(&token, &keys.token), known) {
            (true, _) => Err(Box::new(redirect(request, Some(keys)))),
            (false, true) => Err(Box::new(redirect(request, None))),
            (false, false) => refuse("the token in this address is not the one of this workspace"),
        };
    }
    if let Some(pass) = parameter(request, PASS).filter(|_| is_page) {
        return match (known, keys.take(&pass, now)) {
            (false, false) => refuse("this address was good for one opening, and for a minute"),
            (_, good) => Err(Box::new(redirect(request, good.then_some(keys)))),
        };
    }
    let site = only(headers, "sec-fetch-site");
    let from_elsewhere = !matches!(site, None | Some("same-origin" | "none"));
    let navigates = only(headers, "sec-fetch-mode") == Some("navigate")
        && matches!(only(headers, "sec-fetch-dest"), None | Some("document"));
    let again = parameter(request, AGAIN).is_some();
    if !known && is_page && from_elsewhere && navigates && !again {
        return Err(Box::new(load_again(request)));
    }
    if !known {
        return refuse("this browser has not been let in yet");
    }
    if from_elsewhere && !(is_page && navigates) {
        return refuse("a page of another site may not look in here");
    }
    if again && is_page {
        return Err(Box::new(redirect(request, None)));
    }
    Ok(Entry::Cookie)
}

fn refuse(message: &str) -> Result<Entry, Box<Response>> {
    let error = WebError::new(StatusCode::FORBIDDEN, message)
        .hint("open the address that `skein serve` prints; programs send it as `Authorization: Bearer TOKEN`");
    Err(Box::new(error.into_response()))
}

/// Returns whether a person may have opened the address, rather than a script of a page.
fn is_page(request: &Request) -> bool {
    let path = request.uri().path();
    let is_for_programs = ["/api/", "/fragment/"].iter().any(|start| path.starts_with(start));
    request.method() == Method::GET && !is_for_programs && path != "/events"
}

fn has_cookie(keys: &Keys, headers: &HeaderMap) -> bool {
    let name = keys.cookie_name();
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.any(|(key, value)| key.trim() == name && is_same(value.trim(), &keys.cookie))
}

/// Returns a parameter whose value needs no decoding.
fn parameter(request: &Request, name: &str) -> Option<String> {
    let pairs = request.uri().query()?.split('&');
    let mut values = pairs.filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    });
    values.next().map(str::to_owned)
}

/// Sends the browser to the same address without what is only for the door; with keys it is let in for a year.
fn redirect(request: &Request, keys: Option<&Keys>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    if let Ok(place) = HeaderValue::try_from(plain_address(request)) {
        headers.insert(LOCATION, place);
    }
    let cookie = keys.map(|keys| {
        let (name, value) = (keys.cookie_name(), &keys.cookie);
        format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={KEPT}")
    });
    if let Some(Ok(cookie)) = cookie.map(HeaderValue::try_from) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

/// Returns the path and the parameters that are not only for the door.
fn plain_address(request: &Request) -> String {
    let path = request.uri().path();
    let pairs = request.uri().query().unwrap_or("").split('&');
    let is_kept = |pair: &&str| {
        let key = pair.split('=').next().unwrap_or("");
        !key.is_empty() && !["token", PASS, AGAIN].contains(&key)
    };
    let kept: Vec<&str> = pairs.filter(is_kept).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

#[derive(Template)]
#[template(path = "again.html")]
struct AgainPage {
    address: String,
}

/// Answers a click on another site, with which a strict cookie does not come along: the page asks once more, itself.
fn load_again(request: &Request) -> Response {
    let address = plain_address(request);
    let joint = if address.contains('?') { '&' } else { '?' };
    let page = AgainPage { address: format!("{address}{joint}{AGAIN}=1") };
    page.render()
        .map_or_else(|_| WebError::broken().into_response(), |page| Html(page).into_response())
}
