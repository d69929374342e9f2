//! Takes requests, and carries out the calls of tools on threads of their own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ResourceUpdatedNotificationParam, Role,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::broadcast::Receiver;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::JoinHandle;

use crate::call::{CallOptions, ToolCall};
use crate::client::McpClient;
use crate::ending::Ending;
use crate::failure::{Failure, ToolResult};
use crate::instructions::{INSTRUCTIONS, READ_ONLY_INSTRUCTIONS};
use crate::prompts::{self, PromptName};
use crate::resources::{self, ResourceName};
use crate::root::{self, StartDir};
use crate::subscriptions::{self, Subscriptions, ThreadChange};
use crate::tools::{self, ToolName};

/// Maximum number of calls that are carried out at the same time.
pub(crate) const MAX_CALLS: usize = 32;
/// How often a client that wants to know it is told that a call still runs.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// The server.
#[derive(Debug)]
pub(crate) struct McpServer {
    options: CallOptions,
    start: StartDir,
    /// The directory that all calls work on, once it is known.
    root: OnceCell<PathBuf>,
    ending: Arc<Ending>,
    subscriptions: Arc<Subscriptions>,
    /// Leaves threads for the input and the output.
    permits: Semaphore,
}

impl McpServer {
    pub(crate) fn new(options: CallOptions, start: StartDir, ending: Arc<Ending>) -> Self {
        let (root, subscriptions) = (OnceCell::new(), Arc::default());
        Self { options, start, root, ending, subscriptions, permits: Semaphore::new(MAX_CALLS) }
    }

    async fn root(&self, context: &RequestContext<RoleServer>) -> Result<PathBuf, Failure> {
        let find = || async {
            match self.start.known(&self.options.env) {
                Some(dir) => Ok(dir),
                None => root::ask(context).await,
            }
        };
        self.root.get_or_try_init(find).await.cloned()
    }

    async fn changes(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Receiver<ThreadChange>, ErrorData> {
        let root = self.root(context).await;
        let root = root.map_err(|failure| ErrorData::invalid_request(failure.line(None), None))?;
        let env = self.options.env.with_dir(root);
        Ok(self.subscriptions.changes(&env, &self.ending))
    }

    /// Runs a call on a thread of its own, until it is done; it is told when the client or the end of the input cancels it.
    async fn run(
        &self,
        context: RequestContext<RoleServer>,
        work: impl FnOnce(&ToolCall) -> ToolResult + Send + 'static,
    ) -> ToolResult {
        let Ok(_permit) = self.permits.try_acquire() else {
            let message = format!("{MAX_CALLS} calls are in progress or wait");
            return Err(Failure::new(message).hint("wait for one of them, or cancel it"));
        };
        let root = self.root(&context).await?;
        let info = context.client_info();
        let client = McpClient::new(
            info.as_ref().map(|info| info.name.as_str()),
            info.as_ref().and_then(|info| info.title.as_deref()),
        );
        let progress = context.meta.get_progress_token();
        let cancel = self.ending.cancel();
        let (options, own) = (self.options.clone(), cancel.clone());
        let has_progress = progress.is_some();
        let task = tokio::task::spawn_blocking(move || {
            let call = ToolCall::new(&options, root, &client, has_progress, own);
            work(&call).map_err(|failure| Failure::new(failure.line(Some(&call.workspace))))
        });
        let result = wait(task, &context, || cancel.cancel()).await;
        // It is not in the list of waits any more.
        cancel.cancel();
        result
    }
}

/// Waits for a call, tells the client from time to time that it still runs, and the call that the client has given up.
async fn wait(
    mut task: JoinHandle<ToolResult>,
    context: &RequestContext<RoleServer>,
    cancel: impl Fn(),
) -> ToolResult {
    let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
    ticks.tick().await;
    let mut count = 0.0;
    let mut is_told = false;
    loop {
        tokio::select! {
            done = &mut task => {
                let fault = "a fault in Skein; the error output of the server has more";
                return done.unwrap_or_else(|_| Err(Failure::new(fault)));
            }
            // It can be cancelled before it begins.
            () = context.ct.cancelled(), if !is_told => {
                is_told = true;
                cancel();
            }
            _ = ticks.tick() => {
                if let Some(token) = context.meta.get_progress_token() {
                    count += 1.0;
                    let progress = ProgressNotificationParam::new(token, count).with_message("waiting");
                    // A client that has gone needs no update.
                    drop(context.peer.notify_progress(progress).await);
                }
            }
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let instructions = match self.options.read_only {
            true => READ_ONLY_INSTRUCTIONS,
            false => INSTRUCTIONS,
        };
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        let capabilities = match self.options.read_only {
            // To watch, files of sandboxed agents are moved to the store.
            true => capabilities.build(),
            false => capabilities.enable_resources_subscribe().build(),
        };
        let server = Implementation::new("skein", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.options.read_only)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool =
            ToolName::parse(&request.name).filter(|tool| tool.is_offered(self.options.read_only));
        let Some(tool) = tool else {
            let message = format!("there is no tool {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let result = self.run(context, move |call| tools::run(tool, call, arguments)).await;
        Ok(match result {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(failure) => {
                let text = format!("Error: {}", failure.line(None));
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
        }
        .into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(self.options.read_only)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = PromptName::parse(&request.name);
        let prompt = prompt.filter(|prompt| prompt.is_offered(self.options.read_only));
        let Some(prompt) = prompt else {
            let message = format!("there is no prompt {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let text = self
            .run(context, move |call| {
                prompt.text(call, &arguments).map(skein_model::PromptText::into_string)
            })
            .await;
        let text = text.map_err(|failure| ErrorData::invalid_params(failure.line(None), None))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let unknown = |message: String| ErrorData::resource_not_found(message, None);
        let Some(resource) = ResourceName::parse(&uri) else {
            return Err(unknown(format!("there is no resource {uri}")));
        };
        let text = self.run(context, move |call| resource.read(call)).await;
        let text = text.map_err(|failure| unknown(failure.line(None)))?;
        let contents = ResourceContents::text(text, uri).with_mime_type(resources::MIME);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if ResourceName::parse(&request.uri).is_none() || self.options.read_only {
            let message = format!("there is no resource {}", request.uri);
            return Err(ErrorData::resource_not_found(message, None));
        }
        let mut changes = self.changes(&context).await?;
        if !self.subscriptions.add(request.uri) {
            return Ok(());
        }
        let (peer, subscriptions) = (context.peer.clone(), Arc::clone(&self.subscriptions));
        tokio::spawn(async move {
            while let Some(change) = subscriptions::next(&mut changes).await {
                for uri in subscriptions.concerned(change.as_ref()) {
                    let updated = ResourceUpdatedNotificationParam::new(uri);
                    if peer.notify_resource_updated(updated).await.is_err() {
                        return;
                    }
                }
            }
        });
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        let wanted = requested.resource_subscriptions.iter().flatten();
        let known = wanted.filter(|uri| ResourceName::parse(uri).is_some()).cloned();
        accepted.resource_subscriptions = Some(known.collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let wanted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let root = self.root.get().cloned().or_else(|| self.start.known(&self.options.env));
        let Some(root) = root.filter(|_| !wanted.is_empty() && !self.options.read_only) else {
            tokio::select! {
                () = context.cancelled() => {}
                () = self.ending.ended() => {}
            }
            return Ok(());
        };
        let env = self.options.env.with_dir(root);
        let mut changes = self.subscriptions.changes(&env, &self.ending);
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.ending.ended() => return Ok(()),
                change = subscriptions::next(&mut changes) => change,
            };
            let Some(change) = change else { return Ok(()) };
            for uri in wanted.iter().filter(|uri| subscriptions::concerns(change.as_ref(), uri)) {
                tokio::select! {
                    // A client that has gone needs no update.
                    _ = context.sink().notify_resource_updated(uri.clone()) => {}
                    () = self.ending.ended() => return Ok(()),
                }
            }
        }
    }
}
