// What Debian's packages lack of the generated clients' dependencies: retry policies, and the naming strategies of newer versions of Json.NET.
// The clients are compiled with it, and not run.

namespace Polly
{
    public enum OutcomeType { Successful, Failure }

    public class PolicyResult<T>
    {
        public OutcomeType Outcome;
        public T Result;
        public System.Exception FinalException;
    }

    public interface ISyncPolicy<T> { }

    public interface IAsyncPolicy<T>
    {
        System.Threading.Tasks.Task<PolicyResult<T>> ExecuteAndCaptureAsync(System.Func<System.Threading.Tasks.Task<T>> action);
    }
}

namespace Newtonsoft.Json.Serialization
{
    public class CamelCaseNamingStrategy { public bool OverrideSpecifiedNames; }

    public class DefaultContractResolver : CamelCasePropertyNamesContractResolver { public CamelCaseNamingStrategy NamingStrategy; }
}
