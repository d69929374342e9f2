pub(crate) use skein_model::age::{long, short};
